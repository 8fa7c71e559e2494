// Temp file, fsync, rename; on Linux the temp file has no name at all until it is whole.
#include "onnxpress/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#include "onnxpress/base/contained_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

int open_folder(const fs::path& folder) {
  const char* name = folder.empty() ? "." : folder.c_str();
  const int readable = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder may be writable without being readable; only syncing it needs more.
  return readable < 0 && errno == EACCES ? ::open(name, O_PATH | O_DIRECTORY | O_CLOEXEC) : readable;
}

// A file that is replaced keeps its permissions; a new one gets what the umask allows.
mode_t mode_for(int folder, const std::string& name) {
  struct stat status {};
  const bool exists = ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISREG(status.st_mode)) return status.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path)
    : path_(path), name_(path.filename()), folder_(open_folder(path.parent_path())) {
  create();
}

AtomicFile::AtomicFile(const fs::path& folder, std::string_view location)
    : path_(folder / fs::path(location)), name_(path_.filename()), folder_(open_contained_folder(folder, location)) {
  create();
}

void AtomicFile::create() {
  if (!folder_.is_open()) fail("create", errno);
  struct stat status {};
  const bool exists = ::fstatat(folder_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (name_.empty() || (exists && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))) {
    const bool is_folder = name_.empty() || S_ISDIR(status.st_mode);
    Error error("", is_folder ? "cannot write: is a folder" : "cannot write: is not a regular file",
                "give a file name");
    error.set_file(path_.string());
    throw error;
  }
  // A nameless file gets its name through /proc; without that, or on a file system without nameless files (overlay,
  // network), the temporary file has a hidden name.
  const bool can_name = ::access("/proc/self/fd", X_OK) == 0;
  if (can_name) file_.reset(::openat(folder_.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file_.is_open()) {
    temporary_ = temporary_name();
    constexpr int kNewOnly = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_.reset(::openat(folder_.get(), temporary_.c_str(), kNewOnly, 0600));
    if (!file_.is_open()) temporary_.clear();
  }
  if (!file_.is_open()) fail("create", errno);
  ::fchmod(file_.get(), mode_for(folder_.get(), name_));
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

std::string AtomicFile::temporary_name() const {
  std::random_device random;
  return fmt::format(".{}.{:08x}{:08x}.tmp", name_.substr(0, 200), random(), random());
}

void AtomicFile::fail(std::string_view doing, int reason) const {
  // EFAULT: the bytes to be written are a mapping of a file that has been cut since.
  Error error("",
              fmt::format("cannot {}: {}", doing,
                          reason == EFAULT ? "a file being copied from was cut" : std::strerror(reason)),
              reason == ENOSPC   ? "free some disk space"
              : reason == ENOENT ? "the folder does not exist; create it first"
              : reason == EFAULT ? "try again when nothing else writes to it, or use --no-mmap"
                                 : "");
  error.set_file(path_.string());
  throw error;
}

void AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= kBufferSize) {
    buffer_.append(bytes);
    return;
  }
  flush();
  if (bytes.size() >= kBufferSize) {
    write_all(bytes.data(), bytes.size());
  } else {
    buffer_.append(bytes);
  }
}

void AtomicFile::write_all(const char* data, std::size_t size) {
  constexpr std::size_t kMostAtOnce = std::size_t{64} << 20;
  while (size > 0) {
    const ssize_t done = ::pwrite(file_.get(), data, std::min(size, kMostAtOnce), static_cast<off_t>(position_));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(fmt::format("write at {:#x}", position_), errno);
    data += done;
    size -= static_cast<std::size_t>(done);
    position_ += static_cast<std::uint64_t>(done);
  }
}

void AtomicFile::flush() {
  write_all(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::copy_range(const MappedFile& from, std::uint64_t offset, std::uint64_t length) {
  flush();
  const std::string_view content = from.bytes().view();
  while (length > 0) {
    auto in = static_cast<off_t>(offset), out = static_cast<off_t>(position_);
    const ssize_t done = ::copy_file_range(from.descriptor(), &in, file_.get(), &out, length, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {  // another file system, an old kernel, or the file was cut: write from the mapping instead
      write_all(content.data() + offset, length);
      return;
    }
    offset += static_cast<std::uint64_t>(done);
    length -= static_cast<std::uint64_t>(done);
    position_ += static_cast<std::uint64_t>(done);
  }
}

void AtomicFile::skip_to(std::uint64_t offset) {
  if (offset <= position()) return;
  constexpr std::uint64_t kWorthAHole = 4096;
  if (offset - position() < kWorthAHole) {
    write(std::string(offset - position(), '\0'));
    return;
  }
  flush();
  position_ = offset;
}

void AtomicFile::sync() {
  flush();
  // A hole may stand at the end.
  if (::ftruncate(file_.get(), static_cast<off_t>(position_)) != 0) fail("set the size", errno);
  if (::fsync(file_.get()) != 0) fail("sync", errno);
  synced_ = true;
}

void AtomicFile::commit() {
  if (!synced_) sync();
  if (temporary_.empty()) name_nameless_file();
  if (::renameat(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str()) != 0) {
    fail("rename into place", errno);
  }
  temporary_.clear();
  ::fsync(
      folder_.get());  // so that the new name survives a power cut; not every file system can, and that is all right
}

void AtomicFile::name_nameless_file() {
  temporary_ = temporary_name();
  const std::string self = fmt::format("/proc/self/fd/{}", file_.get());
  if (::linkat(AT_FDCWD, self.c_str(), folder_.get(), temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  const int reason = errno;
  temporary_.clear();
  fail("name the finished file", reason);
}

}  // namespace onnxpress

// Temporary file, fsync, rename. On Linux the temporary file has no name at all until it is complete.
#include "onnxpress/base/platform/new_file.h"

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
#include "onnxpress/base/platform/posix/differences.h"

namespace onnxpress::platform {

namespace fs = std::filesystem;

namespace {

int open_folder(const fs::path& folder) {
  const char* name = folder.empty() ? "." : folder.c_str();
  const int readable = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder may be writable without being readable, and only syncing it needs read permission.
  return readable < 0 && errno == EACCES ? ::open(name, kFolderOnly | O_DIRECTORY | O_CLOEXEC) : readable;
}

class PosixNewFile : public NewFile {
 public:
  // `path` is for messages.
  PosixNewFile(const fs::path& path, Descriptor folder)
      : path_(path), name_(path.filename()), folder_(std::move(folder)) {
    create();
  }
  PosixNewFile(const PosixNewFile&) = delete;
  PosixNewFile& operator=(const PosixNewFile&) = delete;
  ~PosixNewFile() override {
    if (!temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
  }

  void write_at(std::uint64_t position, std::string_view bytes) override;
  std::uint64_t copy_at(std::uint64_t position, const MappedFile& from, std::uint64_t offset,
                        std::uint64_t length) override;
  void sync(std::uint64_t size) override;
  void commit() override;

 private:
  [[noreturn]] void fail(std::string_view doing, int reason) const;
  void create();
  std::string temporary_name() const;
  void name_nameless_file();

  // The folder is opened once: if it is replaced by a link later, we do not follow the link.
  fs::path path_;  // for messages
  std::string name_;
  Descriptor folder_, file_;
  std::string temporary_;  // empty while the file has no name (O_TMPFILE), which leaves nothing behind if we are killed
};

void PosixNewFile::create() {
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
  // A new file gets the permissions that the umask allows. The kernel applies it on creation: reading the umask means
  // setting it, which is a race with every other thread that creates a file. If a file is replaced, the new one gets
  // its permissions, and until then nobody else can read it.
  const bool replaces = exists && S_ISREG(status.st_mode);
  const mode_t mode = replaces ? 0600 : 0666;
  // A nameless file gets its name through /proc. Without /proc, or on a file system without nameless files (overlay,
  // network), the temporary file has a hidden name.
#ifdef O_TMPFILE
  const bool can_name = ::access("/proc/self/fd", X_OK) == 0;
  if (can_name) file_.reset(::openat(folder_.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
#endif
  if (!file_.is_open()) {
    temporary_ = temporary_name();
    constexpr int kNewOnly = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_.reset(::openat(folder_.get(), temporary_.c_str(), kNewOnly, mode));
    if (!file_.is_open()) temporary_.clear();
  }
  if (!file_.is_open()) fail("create", errno);
  if (replaces) ::fchmod(file_.get(), status.st_mode & 07777);
}

std::string PosixNewFile::temporary_name() const {
  std::random_device random;
  return fmt::format(".{}.{:08x}{:08x}.tmp", name_.substr(0, 200), random(), random());
}

void PosixNewFile::fail(std::string_view doing, int reason) const {
  // EFAULT: the bytes to be written are a mapping of a file that has been truncated since.
  Error error("",
              fmt::format("cannot {}: {}", doing,
                          reason == EFAULT ? "a file was truncated while it was being copied" : std::strerror(reason)),
              reason == ENOSPC   ? "free some disk space"
              : reason == ENOENT ? "the folder does not exist; create it first"
              : reason == EFAULT ? "try again when nothing else writes to it, or use option `no_mmap`"
                                 : "");
  error.set_file(path_.string());
  throw error;
}

void PosixNewFile::write_at(std::uint64_t position, std::string_view bytes) {
  constexpr std::size_t kMostAtOnce = std::size_t{64} << 20;
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kMostAtOnce);
    const ssize_t done = ::pwrite(file_.get(), bytes.data(), part, static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(fmt::format("write at {:#x}", position), errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    position += static_cast<std::uint64_t>(done);
  }
}

std::uint64_t PosixNewFile::copy_at([[maybe_unused]] std::uint64_t position, [[maybe_unused]] const MappedFile& from,
                                    [[maybe_unused]] std::uint64_t offset, [[maybe_unused]] std::uint64_t length) {
#ifdef __linux__
  for (;;) {
    auto in = static_cast<off_t>(offset), out = static_cast<off_t>(position);
    const ssize_t done = ::copy_file_range(from.descriptor(), &in, file_.get(), &out, length, 0);
    if (done < 0 && errno == EINTR) continue;
    return done > 0 ? static_cast<std::uint64_t>(done) : 0;
  }
#else
  return 0;  // nothing was copied: the caller writes the bytes
#endif
}

void PosixNewFile::sync(std::uint64_t size) {
  // The file may end with a hole.
  if (::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) fail("set the size", errno);
  if (!sync_to_disk(file_.get())) fail("sync", errno);
}

void PosixNewFile::commit() {
  if (temporary_.empty()) name_nameless_file();
  if (::renameat(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str()) != 0) {
    fail("rename into place", errno);
  }
  temporary_.clear();
  ::fsync(
      folder_.get());  // so that the new name survives a power cut; ignores failure, as not every file system can do it
}

void PosixNewFile::name_nameless_file() {
  temporary_ = temporary_name();
  const std::string self = fmt::format("/proc/self/fd/{}", file_.get());
  if (::linkat(AT_FDCWD, self.c_str(), folder_.get(), temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  const int reason = errno;
  temporary_.clear();
  fail("name the finished file", reason);
}

}  // namespace

std::unique_ptr<NewFile> create_file(const fs::path& path) {
  return std::make_unique<PosixNewFile>(path, Descriptor(open_folder(path.parent_path())));
}

std::unique_ptr<NewFile> create_contained_file(const fs::path& folder, std::string_view location) {
  return std::make_unique<PosixNewFile>(folder / fs::path(location), open_contained_folder(folder, location));
}

}  // namespace onnxpress::platform

// Opens, maps and reads files, with checks that keep a hostile path from hanging the program.
#include "onnxpress/base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/missing_file.h"
#include "onnxpress/base/platform/posix/differences.h"

namespace onnxpress {

namespace {

template <typename Kind = Error>
[[noreturn]] void fail(const std::filesystem::path& path, std::string message, std::string hint = {}) {
  Kind error("", std::move(message), std::move(hint));
  error.set_file(path.string());
  throw error;
}

// Repeats pread until all bytes are read, because the kernel may return fewer.
void read_all(int descriptor, char* to, std::size_t size, const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(descriptor, to + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, fmt::format("cannot read at {:#x}: {}", done, std::strerror(errno)));
    if (got == 0)
      fail(path, fmt::format("the file was truncated from {1} to {0} bytes while it was being read", done, size));
    done += static_cast<std::size_t>(got);
  }
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path, FileAccess access) {
  // O_NONBLOCK: opening a fifo must not wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int reason = errno;
    const std::string message = fmt::format("cannot open: {}", std::strerror(reason));
    if (reason == ENOENT) fail<MissingFile>(path, message, "check the path");
    fail(path, message);
  }
  return adopt(descriptor, path, access);
}

std::shared_ptr<const MappedFile> MappedFile::adopt(int descriptor, const std::filesystem::path& path,
                                                    FileAccess access) {
  std::shared_ptr<MappedFile> file(new MappedFile);  // owns the descriptor from here on, even if we throw
  file->path_ = path;
  file->descriptor_ = descriptor;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, fmt::format("cannot stat: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) fail(path, "is a folder, not a file", "name a file in it");
  if (!S_ISREG(status.st_mode)) fail(path, "is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return file;
  if (access == FileAccess::kMap) {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED)
      fail(path, fmt::format("cannot map {} bytes: {}", size, std::strerror(errno)), "try option `no_mmap`");
    // Otherwise the kernel maps 2 MiB at a time where its cache has large pages: reading the headers of 256 tensors in
    // a 1 GiB model would make 529 MB resident instead of 33.
    platform::advise_large_pages(address, size, false);
    file->mapped_ = true;
    file->view_ = {static_cast<const char*>(address), size};
  } else {
    const std::shared_ptr<char[]> memory(new char[size]);
    file->memory_ = memory;
    file->view_ = {memory.get(), size};
    read_all(descriptor, memory.get(), size, path);
  }
  return file;
}

MappedFile::~MappedFile() {
  if (mapped_) ::munmap(const_cast<char*>(view_.data()), view_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MappedFile::release_pages(std::string_view view) const {
  const auto offset = mapped_ ? offset_of(view) : std::nullopt;
  if (!offset) return;
  // Accessing a page also maps those around it, because Linux maps 64 KiB at once, so release them together. Pages that
  // are needed again are still in the system's cache.
  constexpr std::uint64_t kAround = std::uint64_t{64} << 10, kWorthACall = std::uint64_t{8} << 10;
  if (view.size() < kWorthACall) return;
  const std::uint64_t first = *offset / kAround * kAround, end = *offset + view.size();
  const std::uint64_t last = std::min<std::uint64_t>((end + kAround - 1) / kAround * kAround, view_.size());
  ::madvise(const_cast<char*>(view_.data()) + first, last - first, MADV_DONTNEED);
}

Bytes MappedFile::read_stream(int descriptor, std::string_view name) {
  std::string content;
  constexpr std::size_t kStep = std::size_t{1} << 20;
  for (;;) {
    const std::size_t before = content.size();
    content.resize(before + kStep);
    const ssize_t got = ::read(descriptor, content.data() + before, kStep);
    content.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return Bytes::owned(std::move(content));
    if (got < 0 && errno != EINTR) fail(name, fmt::format("cannot read: {}", std::strerror(errno)));
  }
}

}  // namespace onnxpress

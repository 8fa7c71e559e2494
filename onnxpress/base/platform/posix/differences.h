// What Linux and macOS call differently, or only one of them has.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#ifdef __APPLE__
#include <crt_externs.h>
#else
extern char** environ;
#endif

namespace onnxpress::platform {

#ifdef O_PATH
constexpr int kFolderOnly = O_PATH;  // to name files in a folder; needs no permission to read it
#else
constexpr int kFolderOnly = O_RDONLY;
#endif

// getrusage() counts in kibibytes on Linux, in bytes on macOS.
#ifdef __APPLE__
constexpr std::uint64_t kUnitOfPeakMemory = 1;
#else
constexpr std::uint64_t kUnitOfPeakMemory = 1024;
#endif

inline char** environment() {
#ifdef __APPLE__
  return *_NSGetEnviron();  // a library must not name `environ` there
#else
  return environ;
#endif
}

// Keeps programs that are started later from inheriting both ends.
inline bool keep_to_oneself(const int ends[2]) {
  return ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

// A pipe, or two connected sockets, that programs started later do not inherit; false if there are none, and errno says
// why. On Linux that takes one call, so that no other thread can start a program in between.
inline bool make_pipe(int ends[2]) {
#ifdef __linux__
  return ::pipe2(ends, O_CLOEXEC) == 0;
#else
  return ::pipe(ends) == 0 && keep_to_oneself(ends);
#endif
}

inline bool make_sockets(int ends[2]) {
#ifdef SOCK_CLOEXEC
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
#else
  return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && keep_to_oneself(ends);
#endif
}

// Waits until the bytes are on the disk itself. On macOS, fsync() leaves them in the disk's own memory.
inline bool sync_to_disk(int descriptor) {
#ifdef F_FULLFSYNC
  if (::fcntl(descriptor, F_FULLFSYNC) == 0) return true;  // not every file system can do it
#endif
  return ::fsync(descriptor) == 0;
}

// Only advice: a system without large pages, or without a way to ask for them, needs none.
inline void advise_large_pages([[maybe_unused]] void* address, [[maybe_unused]] std::size_t size,
                               [[maybe_unused]] bool wanted) {
#ifdef MADV_HUGEPAGE
  ::madvise(address, size, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
}

}  // namespace onnxpress::platform

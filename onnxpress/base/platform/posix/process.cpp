// Asks the kernel about this process, and allocates memory from it directly.
#include "onnxpress/base/platform/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __APPLE__
#include <mach/mach.h>
#endif

#include <cstdio>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

#include "onnxpress/base/platform/posix/differences.h"

namespace onnxpress::platform {

std::uint64_t process_id() { return static_cast<std::uint64_t>(::getpid()); }

std::uint64_t peak_memory() {
  // Not getrusage(), whose number includes the process that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::uint64_t kibibytes = 0;
    if (line.starts_with("VmHWM:") && std::istringstream(line.substr(6)) >> kibibytes) return kibibytes * 1024;
  }
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kUnitOfPeakMemory;
}

#ifdef __APPLE__
std::uint64_t anonymous_memory() {
  task_vm_info_data_t info{};
  mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
  if (::task_info(mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count) != KERN_SUCCESS)
    return 0;
  return info.internal + info.compressed;
}
#else
std::uint64_t anonymous_memory() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {};
  const ssize_t size = ::read(file, text, sizeof(text) - 1);
  ::close(file);
  unsigned long long all = 0, resident = 0, shared = 0;  // in pages; `shared` are those of files and shared memory
  if (size <= 0 || std::sscanf(text, "%llu %llu %llu", &all, &resident, &shared) != 3 || resident < shared) return 0;
  return (resident - shared) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}
#endif

void return_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);  // once set, it no longer grows when large blocks are freed
#endif
}

bool belongs_to_user(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return (status.st_uid == ::geteuid() || status.st_uid == 0) && (status.st_mode & S_IWOTH) == 0;
}

std::byte* allocate_large_pages(std::size_t size) {
  // Maps more than needed and keeps an aligned part, so that all of it can be in large pages.
  void* room = ::mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(room);
  const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(room) % kLargePage) % kLargePage;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + size, kLargePage - before);
  advise_large_pages(begin + before, size, true);
  return begin + before;
}

void free_large_pages(std::byte* pages, std::size_t size) { ::munmap(pages, size); }

}  // namespace onnxpress::platform

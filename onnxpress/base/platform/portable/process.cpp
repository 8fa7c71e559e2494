// For systems that tell nothing about a process; memory comes from the C++ library.
#include "onnxpress/base/platform/process.h"

#include <new>

namespace onnxpress::platform {

std::uint64_t process_id() { return 0; }

std::uint64_t peak_memory() { return 0; }
std::uint64_t anonymous_memory() { return 0; }

void return_freed_memory() {}
bool belongs_to_user(const std::filesystem::path&) { return false; }

std::byte* allocate_large_pages(std::size_t size) {
  return static_cast<std::byte*>(::operator new(size, std::align_val_t(kLargePage)));
}

void free_large_pages(std::byte* pages, std::size_t) { ::operator delete(pages, std::align_val_t(kLargePage)); }

}  // namespace onnxpress::platform

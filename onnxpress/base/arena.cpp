// Where an arena's blocks come from.
#include "onnxpress/base/arena.h"

#include <sys/mman.h>

namespace onnxpress {

namespace {
// From this size on a block is pages of its own, huge ones where the system has them.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}  // namespace

Arena::Block Arena::make_block(std::size_t size) {
  if (size < kHugePage) return {static_cast<std::byte*>(::operator new(size)), Free{size}};
  void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  ::madvise(pages, size, MADV_HUGEPAGE);  // advice: without it the block works as well
  return {static_cast<std::byte*>(pages), Free{size}};
}

void Arena::Free::operator()(std::byte* block) const {
  if (size < kHugePage) {
    ::operator delete(block);
  } else {
    ::munmap(block, size);
  }
}

}  // namespace onnxpress

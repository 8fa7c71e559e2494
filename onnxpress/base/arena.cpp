// Where an arena's blocks come from.
#include "onnxpress/base/arena.h"

#include <sys/mman.h>

namespace onnxpress {

namespace {
// From this size on a block is pages of its own, huge ones where the system has them.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Address space that begins and ends at a huge page, so that no part of it comes in small ones.
std::byte* huge_pages(std::size_t size) {
  void* room = ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(room);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(room) % kHugePage) % kHugePage;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + size, kHugePage - before);
  ::madvise(begin + before, size, MADV_HUGEPAGE);  // advice: without it the block works as well
  return begin + before;
}

}  // namespace

Arena::Block Arena::make_block(std::size_t& size) {
  if (size < kHugePage) return {static_cast<std::byte*>(::operator new(size)), Free{size}};
  size = (size + kHugePage - 1) / kHugePage * kHugePage;
  return {huge_pages(size), Free{size}};
}

void Arena::Free::operator()(std::byte* block) const {
  if (size < kHugePage) {
    ::operator delete(block);
  } else {
    ::munmap(block, size);
  }
}

}  // namespace onnxpress

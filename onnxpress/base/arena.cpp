// Allocates the blocks of an arena.
#include "onnxpress/base/arena.h"

#include "onnxpress/base/platform/process.h"

namespace onnxpress {

using platform::kLargePage;

Arena::Block Arena::make_block(std::size_t& size) {
  if (size < kLargePage) return {static_cast<std::byte*>(::operator new(size)), Free{size}};
  // From this size on, a block gets its own pages: huge ones, if the system has them.
  size = (size + kLargePage - 1) / kLargePage * kLargePage;
  return {platform::allocate_large_pages(size), Free{size}};
}

void Arena::Free::operator()(std::byte* block) const {
  if (size < kLargePage) {
    ::operator delete(block);
  } else {
    platform::free_large_pages(block, size);
  }
}

}  // namespace onnxpress

// memcmp in steps of 64 bytes. That of the C library works byte by byte, which is slow when results are compared with
// their originals.
#include <wasm_simd128.h>

#include <cstddef>

namespace {

bool same_block(const unsigned char* a, const unsigned char* b) {
  const auto differing = [a, b](std::size_t at) {
    return wasm_v128_xor(wasm_v128_load(a + at), wasm_v128_load(b + at));
  };
  const v128_t first = wasm_v128_or(differing(0), differing(16)), second = wasm_v128_or(differing(32), differing(48));
  return !wasm_v128_any_true(wasm_v128_or(first, second));
}

}  // namespace

extern "C" int memcmp(const void* left, const void* right, std::size_t size) {
  const auto* a = static_cast<const unsigned char*>(left);
  const auto* b = static_cast<const unsigned char*>(right);
  constexpr std::size_t kBlock = 64;
  for (; size >= kBlock && same_block(a, b); size -= kBlock) a += kBlock, b += kBlock;
  for (; size > 0 && *a == *b; --size) ++a, ++b;
  return size == 0 ? 0 : *a - *b;
}

// Compiled once per kind of processor by Highway and chosen at run time.
#include "onnxpress/analysis/sparsity/zero_bits.h"

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onnxpress/analysis/sparsity/zero_bits.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onnxpress::analysis::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Turns 64 elements into one word.
template <typename T>
std::uint64_t word_of(const T* HWY_RESTRICT data, T mask, T zero) {
  const hn::CappedTag<T, 64> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto masks = hn::Set(d, mask), zeros = hn::Set(d, zero);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 64; i += lanes) {
    std::uint8_t bytes[16] = {};
    hn::StoreMaskBits(d, hn::Ne(hn::And(hn::LoadU(d, data + i), masks), zeros), bytes);
    std::uint64_t part = 0;
    std::memcpy(&part, bytes, sizeof part);
    word |= part << i;
  }
  return word;
}

template <typename T>
std::size_t find(const std::byte* data, std::size_t count, const ZeroRule& rule, std::uint64_t* words) {
  const T mask = static_cast<T>(rule.mask), zero = static_cast<T>(rule.zero);
  std::size_t nonzeros = 0, i = 0;
  for (; i + 64 <= count; i += 64) {
    T part[64];
    std::memcpy(part, data + i * sizeof(T), sizeof part);  // for alignment; the compiler may elide the copy
    words[i / 64] = word_of<T>(part, mask, zero);
    nonzeros += static_cast<std::size_t>(std::popcount(words[i / 64]));
  }
  if (i < count) {
    std::uint64_t word = 0;
    for (std::size_t k = i; k < count; ++k) {
      T element;
      std::memcpy(&element, data + k * sizeof(T), sizeof element);
      if (static_cast<T>(element & mask) != zero) word |= std::uint64_t{1} << (k - i);
    }
    words[i / 64] = word;
    nonzeros += static_cast<std::size_t>(std::popcount(word));
  }
  return count - nonzeros;
}

std::size_t find_any(const std::byte* data, std::size_t count, const ZeroRule& rule, std::uint64_t* words) {
  switch (rule.width) {
    case 1:
      return find<std::uint8_t>(data, count, rule, words);
    case 2:
      return find<std::uint16_t>(data, count, rule, words);
    case 4:
      return find<std::uint32_t>(data, count, rule, words);
    default:
      return find<std::uint64_t>(data, count, rule, words);
  }
}

}  // namespace onnxpress::analysis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onnxpress::analysis {

HWY_EXPORT(find_any);

std::size_t find_nonzeros(const std::byte* data, std::size_t count, const ZeroRule& rule, std::uint64_t* words) {
  return HWY_DYNAMIC_DISPATCH(find_any)(data, count, rule, words);
}

}  // namespace onnxpress::analysis
#endif

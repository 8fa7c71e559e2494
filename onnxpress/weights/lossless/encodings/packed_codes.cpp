// Bytes that mostly have one of a few values, in 1 to 7 bits each: quantized weights whose range a few outliers set.
//
//   before: w, n bytes
//   after:  w = Gather(the most frequent values, codes), and exceptions scattered over it
//
// Codes of 3, 5, 6 or 7 bits are stored as planes of 4, 2 and 1 bits.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/element_plane.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossless/exceptions.h"

namespace onnxpress::weights {

namespace {

constexpr int kMostBits = 7;

struct ByteWindow {
  int bits = 0;
  std::array<std::uint8_t, 256> code_of = {};
  std::array<bool, 256> has = {};
  std::string values;  // by code
};

// The number of bits that takes the least space, with two bytes for each exception, if exceptions are possible; 0 if
// nothing is saved.
int best_bits(const std::array<std::uint64_t, 256>& sorted, std::uint64_t count, bool has_exceptions) {
  int best = 0;
  double least = 8 * static_cast<double>(count);
  std::uint64_t inside = 0;
  for (int bits = 1, next = 0; bits <= kMostBits; ++bits) {
    for (; next < 1 << bits; ++next) inside += sorted[static_cast<std::size_t>(next)];
    const double taken = bits * static_cast<double>(count) + 16 * static_cast<double>(count - inside);
    if (taken >= least || (!has_exceptions && inside != count)) continue;
    least = taken;
    best = bits;
  }
  return best;
}

ByteWindow window_of(const std::array<std::uint64_t, 256>& counts, std::uint64_t count, bool has_exceptions) {
  std::array<std::size_t, 256> order;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t value) { return counts[value]; });
  std::array<std::uint64_t, 256> sorted;
  std::ranges::transform(order, sorted.begin(), [&](std::size_t value) { return counts[value]; });
  ByteWindow window{.bits = best_bits(sorted, count, has_exceptions)};
  if (window.bits == 0) return window;
  for (std::size_t i = 0; i < std::size_t{1} << window.bits; ++i) window.has[order[i]] = counts[order[i]] > 0;
  for (std::size_t value = 0; value < 256; ++value) {
    if (!window.has[value]) continue;
    window.code_of[value] = static_cast<std::uint8_t>(window.values.size());
    window.values.push_back(static_cast<char>(value));
  }
  return window;
}

// Codes as int32, from planes of 4, 2 and 1 bits.
Chain::Ref codes_from_planes(ChainBuilder& chain, const ByteWindow& window, std::span<const std::int64_t> flat) {
  const Candidate& tensor = chain.candidate();
  std::optional<Chain::Ref> sum;
  int shift = 0;
  for (const int bits : {4, 2, 1}) {
    if (!(window.bits & bits)) continue;
    const std::int64_t row[] = {1, static_cast<std::int64_t>(packed_bytes(tensor.count(), bits))};
    const auto plane = std::make_shared<ElementPlane>(tensor, bits, [window, shift, bits](std::uint64_t word) {
      return static_cast<std::uint32_t>(window.code_of[word]) >> shift & ((1U << bits) - 1);
    });
    auto part =
        cast(chain, unpack(chain, chain.constant(ElementType::kUint8, row, plane), bits, flat), ElementType::kInt32);
    if (sum) {
      const std::int32_t factor = 1 << shift;
      const auto times = chain.constant(
          ElementType::kInt32, {}, Bytes::owned(std::string(reinterpret_cast<const char*>(&factor), sizeof factor)));
      part = chain.op("Add", {*sum, chain.op("Mul", {part, times})});
    }
    sum = part;
    shift += bits;
  }
  return *sum;
}

std::optional<Chain> find_packed_codes(const Candidate& tensor) {
  constexpr std::uint64_t kFew = 512, kMany = 0x7fffffff;
  if ((tensor.type() != ElementType::kUint8 && tensor.type() != ElementType::kInt8) || tensor.count() < kFew ||
      tensor.count() > kMany)
    return std::nullopt;
  if (!tensor.has_op("Gather", tensor.type()) || !tensor.has_op("Add", ElementType::kInt32) ||
      !tensor.has_op("Mul", ElementType::kInt32) || !can_unpack(tensor))
    return std::nullopt;
  const auto words = tensor.elements<std::uint8_t>();
  std::array<std::uint64_t, 256> counts = {};
  for (std::size_t i = 0; i < words.size(); ++i) ++counts[words[i]];
  const ByteWindow window = window_of(counts, tensor.count(), tensor.has_op("ScatterElements", tensor.type()));
  if (window.bits == 0) return std::nullopt;
  std::vector<std::uint32_t> exceptions;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!window.has[words[i]]) exceptions.push_back(static_cast<std::uint32_t>(i));
  }
  ChainBuilder chain(tensor);
  const std::int64_t flat[] = {static_cast<std::int64_t>(tensor.count())},
                     few[] = {static_cast<std::int64_t>(window.values.size())};
  const auto values = chain.constant(tensor.type(), few, Bytes::owned(window.values));
  const auto looked_up = chain.op("Gather", {values, codes_from_planes(chain, window, flat)});
  const auto whole = with_exceptions(chain, looked_up, exceptions);
  if (!whole) return std::nullopt;
  if (tensor.dims().size() != 1) reshape(chain, *whole, tensor.dims());
  return chain.finish();
}

}  // namespace

constinit const Encoding packed_codes = {.name = "packed-codes",
                                         .summary = "8-bit codes with few frequent values, in 1 to 7 bits",
                                         .find = find_packed_codes,
                                         .only_when_packing = true};

}  // namespace onnxpress::weights

// Floats that mostly have one of 16 exponents, as in nearly all weights. 28 bits each instead of 32, but loading takes
// longer.
//
//   before: w, n floats
//   after:  w = (Gather(high bits) + low bits) * Gather(powers of two, codes), and exceptions scattered over it
//
// The mantissa with its sign is a whole number of 24 bits, and the product with a power of two is exact. Low bits of
// negative numbers are stored as 65535 minus themselves, so that one addition works for both signs.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/element_plane.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossless/exceptions.h"

namespace onnxpress::weights {

namespace {

constexpr std::uint8_t kException = 255;
constexpr std::size_t kCodes = 16;

// The code of each exponent. Zero has exponent 0, and so have denormals: these are exceptions.
struct ExponentCodes {
  std::array<std::uint8_t, 256> code_of;
  std::array<float, kCodes> powers = {};

  std::uint8_t of(std::uint32_t word) const {
    const std::uint32_t exponent = word >> 23 & 255;
    return exponent == 0 && (word & 0x7fffff) != 0 ? kException : code_of[exponent];
  }
};

// Codes for the 16 most frequent exponents whose power of two is a normal float, and for zero.
ExponentCodes codes_for(const std::array<std::uint64_t, 256>& counts) {
  constexpr std::size_t kLeast = 24, kMost = 254;
  constexpr int kBias = 127 + 23;
  std::array<std::size_t, 256> order;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t exponent) { return counts[exponent]; });
  ExponentCodes codes;
  codes.code_of.fill(kException);
  std::uint8_t next = 0;
  for (const std::size_t exponent : order) {
    if (next == kCodes || counts[exponent] == 0) break;
    if (exponent != 0 && (exponent < kLeast || exponent > kMost)) continue;
    codes.powers[next] = exponent == 0 ? 0.0F : std::ldexp(1.0F, static_cast<int>(exponent) - kBias);
    codes.code_of[exponent] = next++;
  }
  return codes;
}

// What the upper byte of the mantissa, with the sign in front, adds to the whole number.
Chain::Ref high_parts(ChainBuilder& chain) {
  constexpr float kOne = 8388608, kStep = 65536;  // 2^23, 2^16
  std::array<float, 256> parts;
  for (std::size_t i = 0; i < 128; ++i) {
    parts[i] = kOne + kStep * static_cast<float>(i);
    parts[i + 128] = -parts[i] - (kStep - 1);
  }
  const std::int64_t count[] = {256};
  return chain.constant(ElementType::kFloat, count,
                        Bytes::owned(std::string(reinterpret_cast<const char*>(parts.data()), sizeof parts)));
}

bool has_ops_for_floats(const Candidate& tensor) {
  for (const std::string_view op : {"Gather", "Add", "Mul", "Cast"}) {
    if (!tensor.has_op(op, ElementType::kFloat)) return false;
  }
  return tensor.has_op("Cast", ElementType::kUint16) && tensor.has_op("Cast", ElementType::kUint8) &&
         can_unpack(tensor);
}

std::optional<Chain> find_packed_floats(const Candidate& tensor) {
  constexpr std::uint64_t kFew = 1024, kMany = 0x7fffffff;
  if (tensor.type() != ElementType::kFloat || tensor.count() < kFew || tensor.count() > kMany) return std::nullopt;
  if (tensor.statistics().is_splat || !has_ops_for_floats(tensor)) return std::nullopt;
  const auto words = tensor.elements<std::uint32_t>();
  std::array<std::uint64_t, 256> counts = {};
  for (std::size_t i = 0; i < words.size(); ++i) ++counts[words[i] >> 23 & 255];
  const ExponentCodes codes = codes_for(counts);
  std::vector<std::uint32_t> exceptions;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (codes.of(words[i]) != kException) continue;
    exceptions.push_back(static_cast<std::uint32_t>(i));
    if (exceptions.size() > words.size() / 16) return std::nullopt;
  }
  ChainBuilder chain(tensor);
  const std::int64_t flat[] = {static_cast<std::int64_t>(tensor.count())},
                     row[] = {1, static_cast<std::int64_t>(packed_bytes(tensor.count(), 4))}, few[] = {kCodes};
  const auto plane = [&tensor](int bits, ElementPlane::Part part) {
    return std::make_shared<ElementPlane>(tensor, bits, std::move(part));
  };
  const auto high = chain.constant(ElementType::kUint8, flat, plane(8, [](std::uint64_t word) {
                                     return static_cast<std::uint32_t>((word >> 16 & 0x7f) | (word >> 24 & 0x80));
                                   }));
  const auto low = chain.constant(ElementType::kUint16, flat, plane(16, [](std::uint64_t word) {
                                    return static_cast<std::uint32_t>((word >> 31 ? ~word : word) & 0xffff);
                                  }));
  const auto mantissa =
      chain.op("Add", {chain.op("Gather", {high_parts(chain), cast(chain, high, ElementType::kInt32)}),
                       cast(chain, low, ElementType::kFloat)});
  const auto packed = chain.constant(ElementType::kUint8, row, plane(4, [codes](std::uint64_t word) {
                                       return codes.of(static_cast<std::uint32_t>(word)) & 15U;
                                     }));
  const auto powers = chain.constant(
      ElementType::kFloat, few,
      Bytes::owned(std::string(reinterpret_cast<const char*>(codes.powers.data()), sizeof codes.powers)));
  const auto scale = chain.op("Gather", {powers, cast(chain, unpack(chain, packed, 4, flat), ElementType::kInt32)});
  const auto whole = with_exceptions(chain, chain.op("Mul", {mantissa, scale}), exceptions);
  if (!whole) return std::nullopt;
  if (tensor.dims().size() != 1) reshape(chain, *whole, tensor.dims());
  return chain.finish();
}

}  // namespace

constinit const Encoding packed_floats = {
    .name = "packed-floats",
    .summary = "float32 weights in 28 bits: a mantissa, and a code for the exponent",
    .find = find_packed_floats,
    .only_when_packing = true};

}  // namespace onnxpress::weights

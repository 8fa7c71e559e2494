// Many zeros: one bit per element says where the others are.
//
//   before: w, n elements, k of them not zero
//   after:  w = Gather([0, the others...], Mul(CumSum(bits), bits)), bits packed eight in a byte
#include <bit>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/bit_patterns.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

// One bit for each element, packed as unpack() expects, and a zero followed by the elements whose bits are not all zero
// (-0.0 is one).
struct Split {
  std::string mask, values;
};

template <typename Word>
std::optional<Split> split(Elements<Word> words) {
  Split parts;
  parts.mask.assign(packed_bytes(words.size(), 1), '\0');
  parts.values.assign(sizeof(Word), '\0');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word word = words[i];
    if (word == 0) continue;
    parts.mask[i % parts.mask.size()] = static_cast<char>(
        static_cast<unsigned char>(parts.mask[i % parts.mask.size()]) | (1U << (i / parts.mask.size())));
    parts.values.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return parts;
}

// A quick check that rejects dense tensors: bits and values together must be smaller.
bool is_sparse(const Candidate& tensor) {
  return with_words(tensor, [&](auto words) {
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < words.size(); ++i) zeros += words[i] == 0 ? 1 : 0;
    const auto width = static_cast<std::size_t>(bits_of(tensor.type())) / 8;
    return zeros * width > words.size() / 8;
  });
}

std::optional<Chain> find_sparse_mask(const Candidate& tensor) {
  // CumSum counts in int32, which limits the number of elements.
  if (tensor.count() < 64 || tensor.count() > 0x7fffffffU || tensor.statistics().is_splat) return std::nullopt;
  if (!tensor.has_op("CumSum", ElementType::kInt32) || !tensor.has_op("BitShift", ElementType::kUint8) ||
      !is_sparse(tensor))
    return std::nullopt;
  auto parts = with_words(tensor, [](auto words) { return split(words); });
  ChainBuilder chain(tensor);
  const auto n = static_cast<std::int64_t>(tensor.count()),
             width = static_cast<std::int64_t>(bits_of(tensor.type()) / 8);
  const std::int64_t row[] = {1, static_cast<std::int64_t>(parts->mask.size())}, flat[] = {n};
  const std::int64_t count[] = {static_cast<std::int64_t>(parts->values.size()) / width};
  const auto mask = chain.constant(ElementType::kUint8, row, Bytes::owned(std::move(parts->mask)));
  const auto values = chain.constant(tensor.type(), count, Bytes::owned(std::move(parts->values)));
  const auto bits = cast(chain, unpack(chain, mask, 1, flat), ElementType::kInt32);
  const auto numbers = chain.op("Mul", {chain.op("CumSum", {bits, scalar(chain, 0)}), bits});
  chain.op("Gather", {values, tensor.dims().size() == 1 ? numbers : reshape(chain, numbers, tensor.dims())});
  return chain.finish();
}

}  // namespace

constinit const Encoding sparse_mask = {.name = "sparse-mask",
                                        .summary = "tensors with many zeros: a bit per element, and the others",
                                        .find = find_sparse_mask};

}  // namespace onnxpress::weights

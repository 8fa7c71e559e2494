// Nearly all zeros: stores the other elements, and how far each is from the one before it.
//
//   before: w, n elements, k of them not zero
//   after:  w = ScatterElements(zeros, CumSum(gaps), the others)
//
// If a gap is longer than 255, zeros on the way are stored and scattered like the others.
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/bit_patterns.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kLongest = 255;

struct Steps {
  std::string gaps, values;
};

// nullopt if there are too many to be worth it.
template <typename Word>
std::optional<Steps> steps_of(Elements<Word> words) {
  Steps steps;
  std::size_t before = 0;  // where the last step ended
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word word = words[i];
    if (word == 0 && i - before < kLongest) continue;
    if (word == 0 && i == 0) continue;
    steps.gaps.push_back(static_cast<char>(i - before));
    steps.values.append(reinterpret_cast<const char*>(&word), sizeof word);
    before = i;
    if (steps.gaps.size() > words.size() / 4) return std::nullopt;
  }
  return steps;
}

std::optional<Chain> find_sparse_gaps(const Candidate& tensor) {
  if (tensor.count() < 64 || tensor.count() > 0x7fffffffU || tensor.statistics().is_splat) return std::nullopt;
  if (!tensor.has_op("CumSum", ElementType::kInt32) || !tensor.has_op("ScatterElements", tensor.type()) ||
      !tensor.has_op("ConstantOfShape", tensor.type()))
    return std::nullopt;
  auto steps = with_words(tensor, [](auto words) { return steps_of(words); });
  if (!steps || steps->gaps.empty()) return std::nullopt;
  ChainBuilder chain(tensor);
  const std::int64_t count[] = {static_cast<std::int64_t>(steps->gaps.size())},
                     flat[] = {static_cast<std::int64_t>(tensor.count())};
  const auto width = static_cast<std::size_t>(bits_of(tensor.type())) / 8;
  const auto zeros = filled(chain, flat, Bytes::owned(std::string(width, '\0')));
  const auto gaps = chain.constant(ElementType::kUint8, count, Bytes::owned(std::move(steps->gaps)));
  const auto values = chain.constant(tensor.type(), count, Bytes::owned(std::move(steps->values)));
  const auto places = chain.op("CumSum", {cast(chain, gaps, ElementType::kInt32), scalar(chain, 0)});
  const auto scattered = chain.op("ScatterElements", {zeros, places, values});
  if (tensor.dims().size() != 1) reshape(chain, scattered, tensor.dims());
  return chain.finish();
}

}  // namespace

constinit const Encoding sparse_gaps = {.name = "sparse-gaps",
                                        .summary = "tensors that are nearly all zeros: the others, and the gaps",
                                        .find = find_sparse_gaps};

}  // namespace onnxpress::weights

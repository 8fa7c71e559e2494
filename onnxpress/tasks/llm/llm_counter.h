// Counts the steps of a language model: parameters, multiply-adds, bytes of weights, activations and cache, and the
// least time on a device.
#pragma once

#include <array>
#include <optional>
#include <unordered_set>

#include "onnxpress/tasks/llm/llm_ops.h"

namespace onnxpress {

__extension__ using BigCount = unsigned __int128;
// Limits a number to the largest one that a report can hold.
inline std::uint64_t saturated(BigCount number) {
  return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
}

// Twice the bits of a number, because four bits with a scale for every 32 numbers are four and a half.
struct LlmBits {
  std::uint64_t weights = 32, cache = 32, activations = 32;
};

// Operations and bytes per second.
struct LlmRates {
  double flops = 0, bytes = 0;
};

struct LlmTotals {
  BigCount parameters = 0, used_parameters = 0, macs = 0;
  // Matrices are stored in the chosen number of bits, vectors in that of activations.
  double weight_bytes = 0, activation_bytes = 0, cache_bytes = 0;  // moved
  double stored_bytes = 0;                                         // of the parameters
  double seconds = 0, compute_seconds = 0, memory_seconds = 0;
};

class LlmCounter : public LlmOps {
 public:
  // `only_kept`: scores that the mask removes do not count.
  LlmCounter(const LlmCall& call, const LlmBits& bits, std::optional<LlmRates> rates, bool only_kept)
      : call_(call), bits_(bits), rates_(rates), only_kept_(only_kept) {}

  const std::array<LlmTotals, kLlmParts>& parts() const { return parts_; }
  LlmTotals total() const;
  // Elements that the cache gets for each token of each sequence, in all layers.
  std::uint64_t cache_per_token() const { return cache_per_token_; }
  // The same for layers with windowed attention, which keep no more tokens than the window has.
  std::uint64_t window_per_token() const { return window_per_token_; }
  // The same for each token that the encoder has read.
  std::uint64_t cross_per_token() const { return cross_per_token_; }
  // The most elements of activations alive in one step: the residual, operands and results.
  std::uint64_t peak() const { return peak_; }
  // Elements of the largest matrix of scores, which a fused attention does not store.
  std::uint64_t largest_scores() const { return scores_; }

  void enter(LlmPart part, const std::string& scope) override;
  Flow tokens(const std::string& input, std::uint64_t count) override;
  Flow lookup(Flow ids, const std::string& table, std::int64_t count, std::int64_t width) override;
  Flow add_table(Flow x, const std::string& name, std::int64_t count) override;
  Flow sound(std::int64_t channels, std::uint64_t steps) override;
  Flow convolve(Flow x, const std::string& name, std::int64_t channels, std::int64_t stride) override;
  Flow to_tokens(Flow x) override;
  Flow linear(Flow x, const std::string& name, std::int64_t out, bool bias) override;
  Flow tied_linear(Flow x, const std::string& table, std::int64_t count) override;
  Flow head_linear(Flow x, const std::string& name, std::int64_t heads, std::int64_t out) override;
  Flow norm(Flow x, const std::string& name, LlmNorm kind, std::int64_t heads) override;
  Flow activate(Flow x, std::string_view kind) override;
  Flow add(Flow a, Flow b) override;
  Flow multiply(Flow a, Flow b) override;
  Flow last_token(Flow x) override;
  Flow first_token(Flow x) override;
  Flow rotary(Flow x, std::int64_t heads, std::int64_t rotary_dim) override;
  Flow relative_bias(const std::string& name, std::int64_t buckets, std::int64_t heads) override;
  Flow linear_bias(std::int64_t heads) override;
  Flow slice(Flow x, std::int64_t heads, std::int64_t begin, std::int64_t width) override;
  Flow join(Flow a, Flow b, std::int64_t heads, std::int64_t b_heads) override;
  Flow cached(Flow x, const std::string& name) override;
  Flow cross_input(const std::string& name, std::int64_t width) override;
  Flow attention(const LlmAttention& call) override;
  Flow experts(Flow x, const LlmExperts& call) override;
  void output(Flow, const std::string&) override {}

 private:
  struct Step {
    BigCount macs = 0, operations = 0;  // `operations` besides the multiply-adds
    double weights = 0, vectors = 0;    // elements of matrices and vectors that are read
    BigCount activations = 0;           // elements read and written
    double cache = 0;                   // elements of the cache read and written
  };
  void add_step(const Step& step);
  // Parameters of this name are counted only the first time. `used`: how many of them are used for one token.
  void add_weights(const std::string& name, BigCount matrix, BigCount vectors, BigCount used);
  Flow elementwise(Flow x, std::uint64_t operands, std::uint64_t operations);
  void note_alive(BigCount elements);
  BigCount pairs(const LlmAttention& call, std::uint64_t keys) const;
  LlmTotals& now() { return parts_[static_cast<std::size_t>(part_)]; }

  const LlmCall call_;
  const LlmBits bits_;
  const std::optional<LlmRates> rates_;
  const bool only_kept_;
  LlmPart part_ = LlmPart::kEmbedding;
  std::string scope_;
  std::array<LlmTotals, kLlmParts> parts_{};
  std::unordered_set<std::string> seen_;
  std::uint64_t cache_per_token_ = 0, window_per_token_ = 0, cross_per_token_ = 0, peak_ = 0, scores_ = 0,
                residual_ = 0;
};

}  // namespace onnxpress

// Chain: constants and a few standard ops that compute a tensor. ONNX Runtime folds it when it loads the model, so the
// file is small and the model runs as before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "onnxpress/base/arena.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

// Is it one of the ops that chains are made of? These are deterministic, exact, without bodies, and folded by ONNX
// Runtime. `expand` undoes them.
bool is_chain_op(const Node& node);

struct Chain {
  using Ref = int;  // constant i, or ~i for the result of step i
  struct Step {
    std::string_view op_type;  // a literal
    std::vector<Ref> inputs;
    std::vector<Attribute*> attributes;
  };
  std::vector<Tensor> constants;
  Value* base = nullptr;    // not null: constant 0 is the tensor of this value, which is in the model already
  std::vector<Step> steps;  // the last one gives the tensor
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();

  // The bytes that it adds to a file if its result has this name.
  std::uint64_t serialized_bytes(std::string_view result_name) const;
};

// Adds the chain to the graph of `result`, a main graph or a function. The last step produces `result`, which must not
// have a producer yet.
void insert(const Chain& chain, Model& model, Node* position, Value* result);
// Decodes the chain as a runtime would and compares all bits with the candidate. Also false if the model's opset or the
// target lacks an op or a type.
bool decodes_exactly(const Chain& chain, const Candidate& candidate);

// Builds a chain for a candidate: `const auto x = chain.constant(...); return chain.finish(chain.op("Cast", {x},
// ...))`.
class ChainBuilder {
 public:
  explicit ChainBuilder(const Candidate& candidate) : candidate_(&candidate) {}
  const Candidate& candidate() const { return *candidate_; }
  void set_base(Value* value) { chain_.base = value; }  // constant 0 is its tensor

  Chain::Ref constant(ElementType type, std::span<const std::int64_t> dims, Tensor::Content content);
  Chain::Ref integers(std::span<const std::int64_t> values);  // int64, one dimension: shapes, axes
  // Attributes that have their default value are left out.
  Chain::Ref op(std::string_view op_type, std::vector<Chain::Ref> inputs, std::vector<Attribute*> attributes = {});
  Attribute* attribute(std::string_view name, std::int64_t value);
  Attribute* attribute(std::string_view name, std::span<const std::int64_t> values);
  Attribute* attribute(std::string_view name, std::string_view text);
  Attribute* attribute(std::string_view name, ElementType type, std::span<const std::int64_t> dims, Bytes content);

  Chain finish() { return std::move(chain_); }

 private:
  const Candidate* candidate_;
  Chain chain_;
};

}  // namespace onnxpress::weights

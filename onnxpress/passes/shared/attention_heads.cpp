// Recognizes and builds the Reshape and Transpose that split and merge heads.
#include "onnxpress/passes/shared/attention_heads.h"

#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

namespace {

const Permutation kSwapHeads = {0, 2, 1, 3};

// Whether the shapes are [batch, length, heads * size] and [batch, length, heads, size].
bool are_heads(const Value* whole, const Value* parts, const Rewriter& rw) {
  const auto one = rw.shape_of(whole), several = rw.shape_of(parts);
  if (!one || !several || one->size() != 3 || several->size() != 4) return false;
  ops::DimMath& math = rw.dims();
  return math.equal((*one)[0], (*several)[0]) && math.equal((*one)[1], (*several)[1]) &&
         math.equal((*one)[2], math.mul((*several)[2], (*several)[3]));
}

}  // namespace

Value* before_split(const Value* value, const Rewriter& rw) {
  const Node* split = rw.producer(value, "Reshape");
  return split && are_heads(split->input(0), value, rw) ? split->input(0) : nullptr;
}

Value* heads_before(const Value* value, const Rewriter& rw) {
  const Node* transpose = rw.producer(value, "Transpose");
  return transpose && perm_of(*transpose, rw) == kSwapHeads ? before_split(transpose->input(0), rw) : nullptr;
}

Value* merge_heads(Value* value, Rewriter& rw) {
  if (Value* before = heads_before(value, rw)) return before;
  const auto shape = rw.shape_of(value);
  const bool is_known = shape && shape->size() == 4 && (*shape)[1].size() && (*shape)[3].size();
  if (!is_known) return nullptr;
  return rw.reshaped(rw.make("Transpose", {value}, {{"perm", kSwapHeads}}),
                     {0, 0, *(*shape)[1].size() * *(*shape)[3].size()});
}

Node* before_merge(const Node& reshape, const Rewriter& rw) {
  const Node* transpose = rw.sole_producer(reshape.input(0), "Transpose");
  if (!transpose || perm_of(*transpose, rw) != kSwapHeads || !are_heads(reshape.output(), transpose->output(), rw))
    return nullptr;
  return rw.sole_producer(transpose->input(0), "MatMul");
}

Value* four_axes(Value* mask, Rewriter& rw) {
  const auto shape = mask ? rw.shape_of(mask) : std::nullopt;
  if (!shape || shape->size() == 4) return mask;
  std::vector<std::int64_t> axes;
  for (std::size_t i = shape->size(); i < 4; ++i) axes.push_back(static_cast<std::int64_t>(axes.size()));
  return rw.make("Unsqueeze", {mask}, {{"axes", axes}});
}

}  // namespace onnxpress::passes

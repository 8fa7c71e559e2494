// Lets RotaryEmbedding copy the end of each head, if only its beginning is rotated.
//
//   before: y = Concat(RotaryEmbedding(x[.., :32], cos, sin), x[.., 32:])
//   after:  y = RotaryEmbedding(x, cos, sin, rotary_embedding_dim = 32)
//
// x is [batch, heads, length, size], and both parts come from a Split or two Slices. The op of ONNX Runtime is changed
// in the same way; it must be told the number of heads.
#include <algorithm>

#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/blocks/columns.h"

namespace onnxpress::passes {

namespace {

// The RotaryEmbedding of either domain that makes the value; null if something else reads it, too.
Node* rotation_of(const Value* value, const Rewriter& rw) {
  Node* node = rw.sole_producer(value, "RotaryEmbedding");
  if (!node) node = sole_ort_producer(value, "RotaryEmbedding");
  if (!node || !rw.op_of(*node) || rw.params(*node).integer_or("rotary_embedding_dim", 0) != 0) return nullptr;
  const auto is_plain = [](const Attribute* each) { return each->name == "interleaved" || each->name == "num_heads"; };
  return std::ranges::all_of(node->attributes(), is_plain) ? node : nullptr;
}

bool apply_fuse_partial_rotary(Node& concat, Rewriter& rw) {
  const auto axis = ops::normal_axis(rw.params(concat).integer_or("axis", 0), 4);
  const Node* rotation = concat.input_count() == 2 && axis == 3 ? rotation_of(concat.input(0), rw) : nullptr;
  if (!rotation) return false;
  const Columns turned = columns_in(rotation->input(0), rw), rest = columns_in(concat.input(1), rw);
  const auto shape = rw.shape_of(turned.of);
  if (!shape || shape->size() != 4 || turned.of != rest.of || turned.begin != 0 || turned.end != rest.begin ||
      rest.end != rest.size)
    return false;
  std::vector<Value*> operands;
  for (const Use& use : rotation->inputs()) operands.push_back(use.value());
  operands[0] = turned.of;
  std::vector<Parameter> parameters = {{"interleaved", rw.params(*rotation).integer_or("interleaved", 0)},
                                       {"rotary_embedding_dim", turned.end}};
  if (!rotation->is("RotaryEmbedding")) {
    const auto heads = (*shape)[1].size();
    if (!heads) return false;
    parameters.emplace_back("num_heads", *heads);
  }
  return rw.replace(concat, rw.make("RotaryEmbedding", operands, parameters, rotation->domain()));
}

constexpr std::string_view kFusePartialRotaryRoots[] = {"Concat"};

}  // namespace

extern const Rewrite fuse_partial_rotary;
const Rewrite fuse_partial_rotary = {.name = "fuse-partial-rotary",
                                     .summary = "lets RotaryEmbedding copy the end of each head",
                                     .exactness = Exactness::kExact,
                                     .group = "blocks",
                                     .large_pattern = true,
                                     .roots = kFusePartialRotaryRoots,
                                     .apply = apply_fuse_partial_rotary};

}  // namespace onnxpress::passes

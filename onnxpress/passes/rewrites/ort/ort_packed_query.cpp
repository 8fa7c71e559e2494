// Lets GroupQueryAttention read queries, keys and values that are one value.
//
//   before: q, k, v = Split(qkv, axis = -1); y = com.microsoft.GroupQueryAttention(q, k, v, ..)
//   after:  y = com.microsoft.GroupQueryAttention(qkv, , , ..)
//
// The parts must be all of the value, in this order, with heads of the same size.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/blocks/columns.h"

namespace onnxpress::passes {

namespace {

bool apply_ort_packed_query(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.input(0), rw) || !node.input(1) || !node.input(2)) return false;
  const auto parts = three_parts(node.input(0), node.input(1), node.input(2), rw);
  const auto shape = parts ? rw.shape_of(parts->of) : std::nullopt;
  const auto params = rw.params(node);
  const std::int64_t heads = params.integer_or("num_heads", 0), few = params.integer_or("kv_num_heads", 0);
  if (!shape || shape->size() != 3 || heads < 1 || few < 1 || parts->widths[0] % heads != 0) return false;
  const std::int64_t size = parts->widths[0] / heads;
  if (parts->widths[1] != few * size || parts->widths[2] != few * size) return false;
  std::vector<Value*> operands;
  for (const Use& use : node.inputs()) operands.push_back(use.value());
  operands[0] = parts->of;
  operands[1] = operands[2] = nullptr;
  node.graph()->set_inputs(node, operands);
  return true;
}

constexpr std::string_view kOrtPackedQueryRoots[] = {"com.microsoft.GroupQueryAttention"};

}  // namespace

extern const Rewrite ort_packed_query;
const Rewrite ort_packed_query = {.name = "ort-packed-query",
                                  .summary = "lets GroupQueryAttention read queries, keys and values from one value",
                                  .exactness = Exactness::kReassociates,
                                  .group = "ort",
                                  .large_pattern = true,
                                  .roots = kOrtPackedQueryRoots,
                                  .apply = apply_ort_packed_query};

}  // namespace onnxpress::passes

// Computes results that are the same in every run.
//
//   before: y = Add(a, b), both constant; or any node whose result the facts know: Shape of fixed dims, Gather from it
//   after:  y is a constant
//
// A result may take as many bytes as the nodes and constants that it makes unnecessary. When no rewrite applies any
// more, results may also take what the model has become smaller by: first those that remove most nodes for their bytes
// (whole/large_constants.h). So the file does not grow, and large results of ConstantOfShape, Expand, Tile and Range
// stay where there is no room for them; so do the chains that `shrink` writes to decode weights. If every bit must
// stay, floats are left to the runtime. Quantized layers stay whole: QuantizeLinear and DequantizeLinear are never
// folded.
#include <algorithm>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/freed_bytes.h"
#include "onnxpress/passes/whole/foldable.h"

namespace onnxpress::passes {

namespace {

bool apply_fold_constants(Node& node, Rewriter& rw) {
  if (!is_foldable(node, rw)) return false;
  std::uint64_t allowed = freed_bytes(node);
  allowed += std::min(rw.growth(), ~std::uint64_t{0} - allowed);
  std::vector<std::pair<Value*, Value*>> known;  // result -> constant
  for (Value* output : node.outputs()) {
    if (!output || !output->is_used()) continue;
    const auto array = rw.computed(*output, allowed);
    if (!array) return false;
    allowed -= *raw_size(array->type(), array->count());
    known.emplace_back(output, rw.constant(*array));
  }
  bool changed = false;
  for (const auto& [output, constant] : known) changed |= rw.replace_value(output, constant);
  return changed;
}

}  // namespace

extern const Rewrite fold_constants;
const Rewrite fold_constants = {.name = "fold-constants",
                                .summary = "computes results that are the same in every run",
                                .exactness = Exactness::kExact,
                                .group = "constants",
                                .roots = {},
                                .apply = apply_fold_constants};

}  // namespace onnxpress::passes

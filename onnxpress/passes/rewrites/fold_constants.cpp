// Computes what is the same in every run.
//
//   before: y = Add(a, b), both constant; or any node whose result the facts know: Shape of fixed dims, Gather from it
//   after:  y is a constant
//
// The file must not grow: a result may take as many bytes as the constants that go with the node, and what the node
// itself takes. ConstantOfShape, Expand, Tile and Range of large tensors therefore stay; so do the chains that `shrink`
// writes to decode weights. Where every bit must stay, floats are left to the runtime. Quantized layers stay whole:
// QuantizeLinear and DequantizeLinear are never folded.
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

constexpr std::uint64_t kNodeBytes = 64;  // what a node takes at least: op, names, attributes

// Bytes of constants that nobody needs when the node is gone.
std::uint64_t freed_by(const Node& node) {
  std::uint64_t bytes = kNodeBytes;
  for (const Use& use : node.inputs()) {
    const Value* value = use.value();
    if (!value || value->is_output()) continue;
    const Tensor* tensor = constant_tensor(*value);
    if (!tensor) continue;
    bool only_here = true;
    for (const Use* each = value->first_use(); each; each = each->next()) only_here &= each->user() == &node;
    const auto count = tensor->element_count();
    const auto size = count ? raw_size(tensor->type, *count) : std::nullopt;
    if (only_here && size) bytes += *size;
  }
  return bytes;
}

bool apply(Node& node, Rewriter& rw) {
  if (node.is("Constant") || node.is("Identity")) return false;
  const ops::Op* op = rw.op_of(node);
  if (op && op->has_any(ops::kMarksCodes | ops::kRuntimesDiffer)) return false;
  const std::uint64_t allowed = freed_by(node);
  std::vector<std::pair<Value*, Value*>> known;  // result -> constant
  for (Value* output : node.outputs()) {
    if (!output || !output->is_used()) continue;
    const auto array = rw.computed(*output, allowed);
    if (!array) return false;
    known.emplace_back(output, rw.constant(*array));
  }
  bool changed = false;
  for (const auto& [output, constant] : known) changed |= rw.replace_value(output, constant);
  return changed;
}

}  // namespace

extern const Rewrite fold_constants;
const Rewrite fold_constants = {.name = "fold-constants",
                                .summary = "computes what is the same in every run",
                                .exactness = Exactness::kExact,
                                .group = "folding",
                                .roots = {},
                                .apply = apply};

}  // namespace onnxpress::passes

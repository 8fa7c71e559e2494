// Computes results that are the same in every run.
//
//   before: y = Add(a, b), both constant; or any node whose result the facts know: Shape of fixed dims, Gather from it
//   after:  y is a constant
//
// The file must not grow: a result may take as many bytes as the nodes and constants that it makes unnecessary.
// ConstantOfShape, Expand, Tile and Range of large tensors therefore stay; so do the chains that `shrink` writes to
// decode weights. If every bit must stay, floats are left to the runtime. Quantized layers stay whole: QuantizeLinear
// and DequantizeLinear are never folded.
#include "onnxpress/base/error.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/freed_bytes.h"

namespace onnxpress::passes {

namespace {

bool is_known(const Value& value, const Rewriter& rw) {
  const ops::Fact& fact = rw.fact(&value);
  return fact.is_constant || fact.constant || fact.elements;
}

// Whether the node depends on something quantized. `left` is how many nodes may still be visited; true if none is left.
bool decodes(const Node& node, const Rewriter& rw, int& left) {
  for (const Use& use : node.inputs()) {
    const Node* maker = use.value() ? use.value()->producer() : nullptr;
    if (!maker || maker->is("Constant")) continue;
    const ops::Op* op = rw.op_of(*maker);
    if (--left < 0 || (op && op->has(ops::kMarksCodes)) || decodes(*maker, rw, left)) return true;
  }
  return false;
}

bool apply_fold_constants(Node& node, Rewriter& rw) {
  if (node.is("Constant") || node.is("Identity")) return false;
  const ops::Op* op = rw.op_of(node);
  if (op && op->has(ops::kMarksCodes)) return rw.refuse("quantized layers stay whole, so that runtimes find them");
  if (op && op->has(ops::kRuntimesDiffer)) return rw.refuse("runtimes compute {} differently", node.op_type());
  for (const Value* output : node.outputs()) {
    if (output && output->is_used() && !is_known(*output, rw))
      return rw.refuse("{} may differ from run to run", quote_name(output->name()));
  }
  int most = 64;
  if (is_float(rw.element_of(node.output())) && decodes(node, rw, most))
    return rw.refuse("it decodes quantized weights, which would be larger as floats");
  const std::uint64_t allowed = freed_bytes(node);
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
                                .summary = "computes results that are the same in every run",
                                .exactness = Exactness::kExact,
                                .group = "constants",
                                .roots = {},
                                .apply = apply_fold_constants};

}  // namespace onnxpress::passes

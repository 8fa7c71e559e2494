// Quantized layers, and ops that runtimes compute differently, are not folded.
#include "onnxpress/passes/whole/foldable.h"

#include <algorithm>

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

// Names what is not known: operands, or else the result of an op that draws numbers.
void explain_unknown(const Node& node, const Value& output, const Rewriter& rw) {
  bool all_known = true;
  for (const Use& use : node.inputs()) {
    if (!use.value() || is_known(*use.value(), rw)) continue;
    rw.refused(use.value(), "is not constant");
    all_known = false;
  }
  if (all_known) rw.refused(&output, "may differ from run to run");
}

}  // namespace

bool is_foldable(const Node& node, const Rewriter& rw) {
  if (node.is("Constant") || node.is("Identity")) return false;
  const ops::Op* op = rw.op_of(node);
  const auto is_open = [&](const Value* output) { return output && output->is_used() && !is_known(*output, rw); };
  const auto open = std::ranges::find_if(node.outputs(), is_open);
  if (open != node.outputs().end()) {
    explain_unknown(node, **open, rw);
    return false;
  }
  if (op && op->has(ops::kMarksCodes)) return rw.refuse("quantized layers stay whole, so that runtimes find them");
  if (op && op->has(ops::kRuntimesDiffer)) return rw.refuse("runtimes compute {} differently", node.op_type());
  int most = 512;
  if (is_float(rw.element_of(node.output())) && decodes(node, rw, most))
    return rw.refuse("it decodes quantized weights, which would be larger as floats");
  return true;
}

}  // namespace onnxpress::passes

// Omits initial states of LSTM, GRU and RNN that are zero, because that is the default.
//
//   before: y = LSTM(x, w, r, b, , zeros, zeros)
//   after:  y = LSTM(x, w, r, b)
//
// If every bit must stay, the states must not be -0.
#include <cmath>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool is_zero(const Value* value, const Rewriter& rw) {
  const ops::Fact& fact = rw.fact(value);
  if (!value || !fact.is_tensor() || fact.range.low != 0 || fact.range.high != 0 || !fact.range.finite) return false;
  return !rw.must_keep_bits() || (fact.is_splat && !std::signbit(fact.range.low));
}

bool apply_drop_zero_states(Node& node, Rewriter& rw) {
  const ops::Schema& schema = *rw.op_of(node)->schema;
  std::vector<Value*> inputs;
  for (const Use& use : node.inputs()) inputs.push_back(use.value());
  bool found = false;
  for (const std::string_view state : {"initial_h", "initial_c"}) {
    const auto place = static_cast<std::size_t>(schema.operand(state));
    if (schema.operand(state) < 0 || place >= inputs.size() || !is_zero(inputs[place], rw)) continue;
    inputs[place] = nullptr;
    found = true;
  }
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  if (found) node.graph()->set_inputs(node, inputs);
  return found;
}

constexpr std::string_view kDropZeroStatesRoots[] = {"LSTM", "GRU", "RNN", "com.microsoft.DynamicQuantizeLSTM"};

}  // namespace

extern const Rewrite drop_zero_states;
const Rewrite drop_zero_states = {.name = "drop-zero-states",
                                  .summary = "omits initial states of recurrent ops that are zero",
                                  .exactness = Exactness::kExact,
                                  .group = "no_ops",
                                  .roots = kDropZeroStatesRoots,
                                  .apply = apply_drop_zero_states};

}  // namespace onnxpress::passes

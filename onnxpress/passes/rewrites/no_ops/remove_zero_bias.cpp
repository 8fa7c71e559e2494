// Removes a bias of zeros.
//
//   before: y = Conv(x, w, zeros)   or ConvTranspose, Gemm, QLinearConv
//   after:  y = Conv(x, w)
#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_zero_bias(Node& node, Rewriter& rw) {
  const std::size_t place = node.is("QLinearConv") ? 8 : 2;
  Value* bias = node.input(place);
  const ops::Fact& fact = rw.fact(bias);
  // The bias may also be computed: exporters write Expand(0, [channels]), which is not folded to a constant.
  if (!bias || node.input_count() != place + 1) return false;
  if (!constant_tensor(*bias) && !fact.is_constant) return rw.refuse("the bias is not constant");
  // Before opset 11, Gemm has no optional operand.
  if (!rw.op_of(node)->schema->operands[place].optional)
    return rw.refuse("in the opset of the model, {} must have a bias", node.op_type());
  if (!fact.is_tensor() || fact.range.low != 0 || fact.range.high != 0 || !fact.range.finite)
    return rw.refuse("the bias is not 0");
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < place; ++i) operands.push_back(node.input(i));
  node.graph()->set_inputs(node, operands);
  return true;
}

constexpr std::string_view kRemoveZeroBiasRoots[] = {"Conv", "ConvTranspose", "Gemm", "QLinearConv"};

}  // namespace

extern const Rewrite remove_zero_bias;
const Rewrite remove_zero_bias = {.name = "remove-zero-bias",
                                  .summary = "removes a bias of zeros",
                                  .exactness = Exactness::kReassociates,
                                  .group = "no_ops",
                                  .roots = kRemoveZeroBiasRoots,
                                  .apply = apply_remove_zero_bias};

}  // namespace onnxpress::passes

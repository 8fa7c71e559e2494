// Fuses a MatMul that quantizes its operand at run time into one node.
//
//   before: q, s, z = DynamicQuantizeLinear(x); y = Mul(Cast(MatMulInteger(q, w, z, wz)), Mul(s, ws))
//   after:  y = com.microsoft.DynamicQuantizeMatMul(x, w, ws, wz)
//
// If q has several readers: y = com.microsoft.MatMulIntegerToFloat(q, w, s, ws, z, wz). A bias added to the result
// becomes an operand.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

// Whether the value is a constant with one number for all columns, or one for each.
bool is_row(const Value* value, const Rewriter& rw) {
  const auto shape = rw.shape_of(value);
  return rw.is_constant(value) && shape && shape->size() <= 1;
}

bool fuse(Node& node, Rewriter& rw) {
  static const Pattern kPattern("Mul(c = Cast(m = MatMulInteger(q, w)), Mul(s, t))");
  const auto match = kPattern.find(node, rw);
  if (!match || !is_for_ort((*match)["c"], rw)) return false;
  Node* quantize = rw.producer((*match)["q"], "DynamicQuantizeLinear");
  const Node* product = match->node("m");
  if (!quantize || (*match)["q"] != quantize->output(0) || product->input(2) != quantize->output(2)) return false;
  const bool is_second = (*match)["t"] == quantize->output(1);
  Value *scale = (*match)[is_second ? "t" : "s"], *weight_scale = (*match)[is_second ? "s" : "t"];
  Value *w = (*match)["w"], *zero = product->input(3);
  const auto shape = rw.shape_of(w);
  if (scale != quantize->output(1) || !is_row(weight_scale, rw) || !rw.is_constant(w) || !shape || shape->size() != 2 ||
      (zero && !is_row(zero, rw)))
    return false;
  std::size_t readers = 0;
  for (const Value* each : quantize->outputs()) readers += each ? each->use_count() : 0;
  if (readers == 3 && quantize->graph() == node.graph())
    return rw.replace(node, make_ort("DynamicQuantizeMatMul", {quantize->input(0), w, weight_scale, zero}, {}, rw));
  return rw.replace(node, make_ort("MatMulIntegerToFloat",
                                   {quantize->output(0), w, scale, weight_scale, quantize->output(2), zero}, {}, rw));
}

bool take_bias(Node& add, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    Node* product = sole_ort_producer(add.input(side), "DynamicQuantizeMatMul");
    const std::size_t place = product ? 4 : 6;
    if (!product) product = sole_ort_producer(add.input(side), "MatMulIntegerToFloat");
    Value* bias = add.input(1 - side);
    const auto shape = rw.shape_of(bias), whole = rw.shape_of(add.output());
    if (!product || product->input(place) || !rw.is_constant(bias) || !shape || shape->size() != 1 || !whole ||
        whole->empty() || whole->back() != shape->front() || !rw.same_shape(product->output(), add.output()))
      continue;
    std::vector<Value*> operands;
    for (const Use& use : product->inputs()) operands.push_back(use.value());
    operands.resize(place);
    operands.push_back(bias);
    return rw.replace(add, rw.make(product->op_type(), operands, {}, kOrtDomain));
  }
  return false;
}

bool apply_ort_matmul_integer(Node& node, Rewriter& rw) {
  return node.is("Mul") ? fuse(node, rw) : take_bias(node, rw);
}

constexpr std::string_view kOrtMatmulIntegerRoots[] = {"Mul", "Add"};

}  // namespace

extern const Rewrite ort_matmul_integer;
const Rewrite ort_matmul_integer = {.name = "ort-matmul-integer",
                                    .summary = "fuses a MatMul that quantizes its operand at run time into one node",
                                    .exactness = Exactness::kReassociates,
                                    .group = "ort",
                                    .large_pattern = true,
                                    .roots = kOrtMatmulIntegerRoots,
                                    .apply = apply_ort_matmul_integer};

}  // namespace onnxpress::passes

// Removes arithmetic with a number that changes nothing.
//
//   before: y = Mul(x, 1)   or Div(x, 1), Sub(x, 0), Add(x, 0), Pow(x, 1), And(x, true), Or(x, false)
//   after:  readers of y read x
//
// The constant must not broadcast x to another shape. Adding 0 turns -0 into 0 for floats; everything else keeps every
// bit.
#include <algorithm>

#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Whether the value is a constant whose elements are all this number.
bool is_all(const Rewriter& rw, const Value* value, double number) {
  if (!rw.is_constant(value)) return false;
  const auto array = rw.constant(value);
  const auto wide = array ? ops::converted(*array, ElementType::kDouble) : std::nullopt;
  if (!wide || wide->count() == 0) return false;
  return std::ranges::all_of(wide->data<double>(), [number](double each) { return each == number; });
}

bool keeps_type(const Node& node, const Value* x, const Rewriter& rw) {
  return rw.same_shape(x, node.output()) && rw.element_of(x) == rw.element_of(node.output());
}

struct Unit {
  std::string_view op;
  double number;
  bool either_side;
};
constexpr Unit kUnits[] = {{"Add", 0, true},        {"Sub", 0, false},      {"Mul", 1, true}, {"Div", 1, false},
                           {"Pow", 1, false},       {"And", 1, true},       {"Or", 0, true},  {"BitwiseOr", 0, true},
                           {"BitwiseXor", 0, true}, {"BitShift", 0, false}, {"Xor", 0, true}};

bool apply_remove_unit_arithmetic(Node& node, Rewriter& rw) {
  const auto unit = std::ranges::find(kUnits, node.op_type(), &Unit::op);
  if (unit == std::end(kUnits)) return false;
  for (const std::size_t side : {1, 0}) {
    if (side == 0 && !unit->either_side) break;
    Value* x = node.input(1 - side);
    if (is_all(rw, node.input(side), unit->number) && keeps_type(node, x, rw)) return rw.replace(node, x);
  }
  return false;
}

constexpr std::string_view kRemoveUnitArithmeticRoots[] = {"Add", "Sub",       "Mul",        "Div",      "Pow", "And",
                                                           "Or",  "BitwiseOr", "BitwiseXor", "BitShift", "Xor"};

}  // namespace

extern const Rewrite remove_unit_arithmetic;
const Rewrite remove_unit_arithmetic = {.name = "remove-unit-arithmetic",
                                        .summary = "removes arithmetic with a number that changes nothing",
                                        .exactness = Exactness::kReassociates,
                                        .group = "no_ops",
                                        .roots = kRemoveUnitArithmeticRoots,
                                        .apply = apply_remove_unit_arithmetic};

}  // namespace onnxpress::passes

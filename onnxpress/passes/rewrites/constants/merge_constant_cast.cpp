// Merges a Cast into the ConstantOfShape before it.
//
//   before: y = Cast(ConstantOfShape(s, value = float [1]), to = int64)
//   after:  y = ConstantOfShape(s, value = int64 [1])
//
// The ConstantOfShape must be read by nothing else, and the type must hold the number exactly.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// The element that the node fills its result with; nullopt if its bytes cannot be read.
std::optional<ops::Array> filler_of(const Node& constant_of_shape, const Rewriter& rw) {
  const Tensor* tensor = rw.params(constant_of_shape).tensor("value");
  if (!tensor) return ops::Array::scalar(0.0f).reshaped({1});
  try {
    return ops::Array::from(*tensor);
  } catch (const Error&) {
    return std::nullopt;  // writing the model will report it
  }
}

// ONNX Runtime casts to narrower types, but cannot fill values of them.
bool runtimes_fill(ElementType type) {
  using enum ElementType;
  constexpr ElementType kFilled[] = {kFloat, kDouble, kFloat16, kBfloat16, kInt8,   kInt16, kInt32,
                                     kInt64, kUint8,  kUint16,  kUint32,   kUint64, kBool};
  return std::ranges::find(kFilled, type) != std::end(kFilled);
}

bool apply_merge_constant_cast(Node& cast, Rewriter& rw) {
  Node* made = rw.sole_producer(cast.input(0), "ConstantOfShape");
  const ElementType to = rw.element_of(cast.output());
  if (!made || !runtimes_fill(to)) return false;
  const auto before = filler_of(*made, rw);
  const auto number = before ? before->number() : std::nullopt;
  const auto array = number && std::isfinite(*number) ? ops::converted(*before, to) : std::nullopt;
  const auto& allowed = rw.op_of(*made)->schema->type_variables;
  const bool fits = std::ranges::any_of(allowed, [&](const ops::TypeVariable& each) {
    return each.name == "T2" && std::ranges::find(each.types, name_of(to)) != each.types.end();
  });
  // Runtimes differ in how they convert numbers that the type cannot hold.
  const bool is_whole = number == std::optional(std::nearbyint(number.value_or(0)));
  const bool is_exact = to == ElementType::kBool ? is_whole : array && array->number() == number;
  if (!array || !fits || !is_exact) return false;
  Graph& graph = *cast.graph();
  Value* const shape[] = {made->input(0)};
  Value* const result[] = {graph.create_value({})};
  Attribute* const value[] = {make_attribute(rw.model().arena(), "value", array->to_tensor(rw.model().arena(), {}))};
  graph.insert_before(&cast, {.op_type = "ConstantOfShape", .inputs = shape, .outputs = result, .attributes = value});
  return rw.replace(cast, result[0]);
}

constexpr std::string_view kMergeConstantCastRoots[] = {"Cast"};

}  // namespace

extern const Rewrite merge_constant_cast;
const Rewrite merge_constant_cast = {.name = "merge-constant-cast",
                                     .summary = "merges a Cast into the ConstantOfShape before it",
                                     .exactness = Exactness::kExact,
                                     .group = "constants",
                                     .roots = kMergeConstantCastRoots,
                                     .apply = apply_merge_constant_cast};

}  // namespace onnxpress::passes

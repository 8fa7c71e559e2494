// Merges a Cast into the ConstantOfShape before it.
//
//   before: y = Cast(ConstantOfShape(s, value = float [1]), to = int64)
//   after:  y = ConstantOfShape(s, value = int64 [1])
//
// The ConstantOfShape must be read by nothing else.
#include <algorithm>
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

bool apply_merge_constant_cast(Node& cast, Rewriter& rw) {
  Node* made = rw.sole_producer(cast.input(0), "ConstantOfShape");
  const ElementType to = rw.element_of(cast.output());
  if (!made || to == ElementType::kUndefined) return false;
  const auto before = filler_of(*made, rw);
  // Runtimes differ in how they convert numbers that the type cannot hold.
  const auto number = before ? before->number() : std::nullopt;
  const bool is_safe = number && *number >= 0 && *number <= 127 && *number == static_cast<int>(*number);
  const auto array = is_safe ? ops::converted(*before, to) : std::nullopt;
  const auto& allowed = rw.op_of(*made)->schema->type_variables;
  const bool fits = std::ranges::any_of(allowed, [&](const ops::TypeVariable& each) {
    return each.name == "T2" && std::ranges::find(each.types, name_of(to)) != each.types.end();
  });
  if (!array || !fits || (to != ElementType::kBool && array->number() != number)) return false;
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

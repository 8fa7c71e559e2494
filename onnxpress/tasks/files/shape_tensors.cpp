// Checks which ops read a constant.
#include "onnxpress/tasks/files/shape_tensors.h"

#include "onnxpress/ops/core/shape_operands.h"

namespace onnxpress {

namespace {

// Shapes are short lists of integers, and any op may compute with them: Concat, Mul, Gather, functions of the model.
bool may_be_part_of_a_shape(const Tensor& tensor) {
  constexpr std::uint64_t kMostAxes = 64;
  return (tensor.type == ElementType::kInt64 || tensor.type == ElementType::kInt32) &&
         tensor.element_count().value_or(kMostAxes + 1) <= kMostAxes;
}

const Value* value_of(const TensorPlace& place) {
  if (place.value) return place.value;
  return place.node && place.node->is("Constant") ? place.node->output(0) : nullptr;
}

}  // namespace

bool ShapeTensors::contains(const Tensor& tensor, const TensorPlace& place) const {
  if (tensor.dims.size() > 1) return false;
  const Value* value = value_of(place);
  if (!value) return false;
  if (may_be_part_of_a_shape(tensor)) return true;
  for (const Use* use = value->first_use(); use; use = use->next()) {
    const Node& node = *use->user();
    const ops::Op* op = ops_.op_of(node);
    if (op && ops::shapes_depend_on(*op, use->index())) return true;
  }
  return false;
}

}  // namespace onnxpress

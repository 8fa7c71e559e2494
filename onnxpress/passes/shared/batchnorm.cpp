// Computes the factor and the offset as nodes on constants, which the Rewriter folds.
#include "onnxpress/passes/shared/batchnorm.h"

namespace onnxpress::passes {

std::optional<ChannelAffine> affine_of(const Node& batchnorm, Value* added, Rewriter& rw) {
  const auto params = rw.params(batchnorm);
  if (params.flag("training_mode") || params.integer_or("spatial", 1) == 0) return std::nullopt;
  Value *scale = batchnorm.input(1), *bias = batchnorm.input(2), *mean = batchnorm.input(3), *var = batchnorm.input(4);
  if (!rw.all_constant({scale, bias, mean, var}) || (added && !rw.is_constant(added))) return std::nullopt;
  const auto cast = [&](Value* value, ElementType to) {
    return rw.make("Cast", {value}, {{"to", static_cast<std::int64_t>(to)}});
  };
  const auto wide = [&](Value* value) { return cast(value, ElementType::kDouble); };
  const ElementType type = rw.element_of(var);
  Value* sum = added ? wide(added) : rw.scalar(ElementType::kDouble, 0);
  Value* epsilon = rw.scalar(ElementType::kDouble, params.real_or("epsilon", 1e-5));
  Value* k = rw.make("Div", {wide(scale), rw.make("Sqrt", {rw.make("Add", {wide(var), epsilon})})});
  Value* shift = rw.make("Add", {rw.make("Mul", {rw.make("Sub", {sum, wide(mean)}), k}), wide(bias)});
  const ChannelAffine found{cast(k, type), cast(shift, type)};
  if (!rw.all_constant({found.factor, found.shift})) return std::nullopt;
  return found;
}

}  // namespace onnxpress::passes

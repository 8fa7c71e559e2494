// Follows a constant to its users.
#include "onnxpress/passes/shared/constant_users.h"

#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::passes {

const Value* parameter_of(const Function& function, std::size_t slot) {
  const auto inputs = function.body->inputs();
  return slot < inputs.size() ? inputs[slot]->value : nullptr;
}

bool ConstantUsers::take_any(const Value& value, int depth) {
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node& user = *use->user();
    const std::size_t slot = use->index();
    if (const Function* function = ops_.function_of(user)) {
      const Value* inside = parameter_of(*function, slot);
      if (!inside || inside->is_output() || depth == 0 || !parameter_takes_any(*inside, depth - 1)) return false;
      continue;
    }
    const ops::Op* op = ops_.op_of(user);
    if (!op || ops::is_parameter(*op->schema, slot)) return false;
  }
  return true;
}

bool ConstantUsers::parameter_takes_any(const Value& inside, int depth) {
  // False while it is being examined, so that a function that calls itself gets the answer no.
  const auto [found, is_new] = parameters_.try_emplace(&inside, false);
  if (!is_new) return found->second;
  const bool answer = take_any(inside, depth);
  return parameters_[&inside] = answer;
}

}  // namespace onnxpress::passes

// Following a constant to its users.
#include "onnxpress/weights/constant_users.h"

#include "onnxpress/ops/defaults.h"

namespace onnxpress::weights {

namespace {

constexpr int kDepth = 8;  // of calls in functions

bool takes_any(const Value& value, const analysis::ModelOps& ops, int depth) {
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node& user = *use->user();
    const auto slot = static_cast<std::size_t>(use - user.inputs().data());
    if (const Function* function = ops.function_of(user)) {
      const Value* inside = parameter_of(*function, slot);
      if (!inside || inside->is_output() || depth == 0 || !takes_any(*inside, ops, depth - 1)) return false;
      continue;
    }
    const ops::Op* op = ops.op_of(user);
    if (!op || ops::is_parameter(*op->schema, slot)) return false;
  }
  return true;
}

}  // namespace

const Value* parameter_of(const Function& function, std::size_t slot) {
  const auto inputs = function.body->inputs();
  return slot < inputs.size() ? inputs[slot]->value : nullptr;
}

bool takes_any_value(const Value& value, const analysis::ModelOps& ops) { return takes_any(value, ops, kDepth); }

}  // namespace onnxpress::weights

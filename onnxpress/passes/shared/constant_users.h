// What the users of a constant require of it, including users inside functions that it is passed to.
#pragma once

#include <unordered_map>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The input of the function's body that receives operand `slot` of a call; null when there is none.
const Value* parameter_of(const Function& function, std::size_t slot);

class ConstantUsers {
 public:
  explicit ConstantUsers(const analysis::OpResolver& ops) : ops_(ops) {}

  // Whether all users are known and accept any value as that operand, not only a plain initializer.
  bool take_any_value(const Value& value) { return take_any(value, kDepth); }

 private:
  static constexpr int kDepth = 8;  // of nested function calls

  bool take_any(const Value& value, int depth);
  bool parameter_takes_any(const Value& inside, int depth);

  const analysis::OpResolver& ops_;
  std::unordered_map<const Value*, bool> parameters_;  // inputs of functions, each examined only once
};

}  // namespace onnxpress::passes

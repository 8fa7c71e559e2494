// What the users of a constant require of it, including users inside functions that it is passed to.
#pragma once

#include <unordered_map>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The value that a function's body has for operand `slot` of a call; null when there is none.
const Value* parameter_of(const Function& function, std::size_t slot);

class ConstantUsers {
 public:
  explicit ConstantUsers(const analysis::OpResolver& ops) : ops_(ops) {}

  // Whether all users are known, and take any value there, not only a plain initializer.
  bool take_any_value(const Value& value) { return take_any(value, kDepth); }

 private:
  static constexpr int kDepth = 8;  // of calls in functions

  bool take_any(const Value& value, int depth);
  bool parameter_takes_any(const Value& inside, int depth);

  const analysis::OpResolver& ops_;
  std::unordered_map<const Value*, bool> parameters_;  // of functions: looked at once, however many calls there are
};

}  // namespace onnxpress::passes

// Shared by the rewrites to operators of ONNX Runtime.
#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

Node* sole_ort_producer(const Value* value, std::string_view op_type) {
  Node* node = value ? value->producer() : nullptr;
  if (!node || node->domain() != kOrtDomain || node->op_type() != op_type || value->is_output()) return nullptr;
  const bool is_sole = value->first_use() && !value->first_use()->next() && node->used_outputs() == 1;
  return is_sole ? node : nullptr;
}

Value* make_ort(std::string_view op_type, std::initializer_list<Value*> operands,
                std::initializer_list<Parameter> parameters, Rewriter& rw) {
  return rw.make(op_type, std::span(operands.begin(), operands.size()),
                 std::span(parameters.begin(), parameters.size()), kOrtDomain);
}

}  // namespace onnxpress::passes

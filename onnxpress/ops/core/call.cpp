// What every evaluation can ask about its node.
#include "onnxpress/ops/core/call.h"

#include <fmt/format.h>

namespace onnxpress::ops {

namespace {
const Array kNone;
}

const Array& Call::array(std::size_t i) const {
  const Array* found = has(i) ? operands_[i]->array() : nullptr;
  return found ? *found : kNone;
}

const Array& Call::array(std::string_view name) const {
  const int operand = params.schema().operand(name);
  return operand < 0 ? kNone : array(static_cast<std::size_t>(operand));
}

bool Call::fail_type() {
  std::string types;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    types += fmt::format("{}{}", types.empty() ? "" : ", ", has(i) ? name_of(array(i).type()) : "none");
  }
  return fail(fmt::format("operands of type {} are not supported", types));
}

}  // namespace onnxpress::ops

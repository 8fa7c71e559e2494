// Finds shape operands by the schema: axes, sizes and counts are integers, whatever type the data has.
#include "onnxpress/ops/core/shape_operands.h"

#include <algorithm>
#include <iterator>

#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::ops {

namespace {

struct OperandName {
  std::string_view op, operand;
};

// Operands that shapes depend on even though they may be real numbers.
constexpr OperandName kRealOperands[] = {
    {"OneHot", "depth"}, {"Range", "delta"},   {"Range", "limit"},     {"Range", "start"},
    {"Resize", "roi"},   {"Resize", "scales"}, {"Upsample", "scales"},
};

bool is_integer_type(std::string_view type) { return type == "int32" || type == "int64"; }

bool takes_integers_only(const Schema& schema, const Formal& formal) {
  const auto variable = std::find_if(schema.type_variables.begin(), schema.type_variables.end(),
                                     [&formal](const TypeVariable& each) { return each.name == formal.type; });
  if (variable == schema.type_variables.end()) return is_integer_type(formal.type);
  return std::all_of(variable->types.begin(), variable->types.end(), is_integer_type);
}

}  // namespace

bool shapes_depend_on(const Op& op, std::size_t i) {
  const Schema& schema = *op.schema;
  const Formal* formal = formal_at(schema.operands, i);
  if (!formal) return false;
  return takes_integers_only(schema, *formal) ||
         (schema.domain.empty() &&
          std::any_of(std::begin(kRealOperands), std::end(kRealOperands),
                      [&](const auto& each) { return each.op == schema.name && each.operand == formal->name; }));
}

}  // namespace onnxpress::ops

// Asks the schemas about each node of a chain.
#include "onnxpress/weights/chain/chain_schema.h"

#include <algorithm>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::weights {

namespace {

bool allowed(const ops::Op& op, const ops::Formal* formal, ElementType type) {
  return formal && ops::allows(*op.schema, *formal, type);
}

const ops::Op* op_in(std::optional<std::int64_t> opset, std::string_view op_type) {
  return opset ? ops::find_op("", op_type, *opset) : nullptr;
}

// Does the op have one version in both opsets?
bool same_version(std::string_view op_type, std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (a == b) return true;
  const ops::Op *one = op_in(a, op_type), *other = op_in(b, op_type);
  return one && other && one->schema->since == other->schema->since;
}

bool has_constant_node(ElementType type, std::optional<std::int64_t> opset) {
  const ops::Op* constant = op_in(opset, "Constant");
  return constant && allowed(*constant, ops::formal_at(constant->schema->results, 0), type);
}

// The constants of a chain in a function.
bool has_constant_nodes(const Chain& chain, std::optional<std::int64_t> opset) {
  return std::ranges::all_of(chain.constants,
                             [&](const Tensor& tensor) { return has_constant_node(tensor.type, opset); });
}

}  // namespace

Model model_of(const Chain& chain, const Candidate& candidate) {
  Model model;
  model.ir_version = candidate.model().ir_version;
  if (candidate.opset()) model.opsets = {{.domain = "", .version = *candidate.opset()}};
  Value* result = model.graph().create_value("result");
  Chain alone = chain;
  alone.base = nullptr;  // the new model does not have it
  insert(alone, model, nullptr, result);
  model.graph().add_output(result, nullptr);
  return model;
}

bool allows_constant(const Model& model, ElementType type) {
  return has_plain_initializers(model) || has_constant_node(type, model.opset(""));
}

bool fits_schema(const Node& node, const ops::Op* op, const TypeOf& type_of) {
  if (!op || op->schema->deprecated) return false;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!allowed(*op, ops::formal_at(op->schema->operands, i), type_of(*node.input(i)))) return false;
  }
  for (const Attribute* attribute : node.attributes()) {
    const ops::ParameterSchema* parameter = op->schema->attribute(attribute->name);
    if (!parameter || parameter->type != attribute->type) return false;
  }
  return allowed(*op, ops::formal_at(op->schema->results, 0), type_of(*node.output()));
}

bool fits_opset(const Chain& chain, const Candidate& candidate, bool in_function) {
  const auto opset = candidate.opset(), outside = in_function ? candidate.model().opset("") : opset;
  if (in_function && !(has_constant_nodes(chain, opset) && same_version("Constant", opset, outside))) return false;
  Model alone = model_of(chain, candidate);
  const analysis::Facts facts(alone);
  const TypeOf type_of = [&facts](const Value& value) { return facts.of(value).element; };
  return std::ranges::all_of(alone.graph().nodes(), [&](const Node& node) {
    return fits_schema(node, op_in(opset, node.op_type()), type_of) && same_version(node.op_type(), opset, outside);
  });
}

}  // namespace onnxpress::weights

// Node by node; bodies inside move along with their nodes.
#include "onnxpress/passes/move_body.h"

#include <vector>

#include "onnxpress/ir/constants.h"

namespace onnxpress::passes {

void move_body_out(Model& model, Graph& body, Node& position) {
  Graph& outer = *position.graph();
  for (Value* value : std::vector<Value*>(body.initializers().begin(), body.initializers().end())) {
    Tensor* tensor = model.arena().make<Tensor>(*value->initializer());
    tensor->origin = {};
    body.replace_all_uses(value, add_constant(model, outer, &position, tensor));
  }
  for (Node& node : body.nodes()) {
    std::vector<Value*> inputs, outputs;
    for (const Use& use : node.inputs()) inputs.push_back(use.value());
    for (const Value* output : node.outputs())
      outputs.push_back(output ? outer.create_value({}, output->type()) : nullptr);
    outer.insert_before(&position, {.op_type = node.op_type(),
                                    .domain = node.domain(),
                                    .overload = node.overload(),
                                    .name = node.name(),
                                    .doc = node.doc(),
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .attributes = node.attributes(),
                                    .metadata = node.metadata(),
                                    .device_configurations = node.device_configurations()});
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i)) body.replace_all_uses(node.output(i), outputs[i]);
    }
  }
}

}  // namespace onnxpress::passes

// Looks for ops that draw random numbers.
#include "onnxpress/engines/random_ops.h"

#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::engines {

RandomOps random_ops_of(const Model& model, const analysis::OpResolver& ops) {
  RandomOps found = RandomOps::kNone;
  for_each_node(model, [&](const Node& node) {
    const ops::Op* op = ops.op_of(node);
    if (!op || !op->has(ops::kRandom) || (node.is("Dropout") && node.input_count() <= 2)) return;
    if (!node.attribute("seed")) found = RandomOps::kUnseeded;
    if (found == RandomOps::kNone) found = RandomOps::kSeeded;
  });
  return found;
}

void set_seeds(Model& model) {
  const analysis::OpResolver ops(model);
  float seed = 1;
  for_each_node(model, [&](Node& node) {
    const ops::Op* op = ops.op_of(node);
    if (op && op->has(ops::kRandom) && op->schema && op->schema->attribute("seed") &&
        op->schema->attribute("seed")->type == AttributeType::kFloat) {
      node.graph()->set_attribute(node, make_attribute(model.arena(), "seed", seed));
      seed += 1;
    }
  });
}

}  // namespace onnxpress::engines

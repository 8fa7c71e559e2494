// Walks down from the inputs and up from the outputs.
#include "onnxpress/weights/find/layers.h"

#include <algorithm>

#include "onnxpress/ir/constants.h"
#include "onnxpress/weights/chain/insert_chains.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

namespace {

template <typename Visit>
void for_each_body(const Node& node, Visit&& visit) {
  for (const Attribute* attribute : node.attributes()) for_each_graph_in(*attribute, visit);
}

}  // namespace

Layers::Layers(const Model& model) : ops_(model) {
  const std::size_t values = model.context().value_count;
  constant_.assign(values, false);
  above_.assign(values, false);
  below_.assign(values, false);
  walk_down(model.graph());
  walk_up(model.graph());
}

bool Layers::is_layer(const Node& node) const {
  const ops::Op* op = ops_.plain_op_of(node);
  if (!op) return false;
  for (std::size_t slot = 0; slot < node.input_count(); ++slot) {
    const Value* value = node.input(slot);
    if (!value || !constant_[value->id()]) continue;
    if (slot > 0 && op->has(ops::kMultipliesCodes)) return true;
    if (!op->takes_weight(slot)) continue;
    if (op->def->indices == 0) return true;
    const Tensor* table = constant_tensor(*value);  // embeddings, not sizes
    if (table && FloatSource::reads(table->type) && table->dims.size() > 1) return true;
  }
  return false;
}

void Layers::walk_down(const Graph& graph) {
  for (const Value* value : graph.initializers()) {
    if (!value->is_input()) constant_[value->id()] = true;
  }
  for (const Node& node : graph.nodes()) {
    bool above = false, constant = node.is("Constant") || node.input_count() > 0;
    for (const Use& use : node.inputs()) {
      if (!use.value()) continue;
      above = above || above_[use.value()->id()];
      constant = constant && constant_[use.value()->id()];
    }
    const bool before = above;
    for_each_body(node, [&](const Graph& body) {
      for (const ValueInfo* input : body.inputs()) above_[input->value->id()] = before;
      walk_down(body);
      for (const ValueInfo* output : body.outputs()) above = above || above_[output->value->id()];
      constant = false;
    });
    const bool layer = is_layer(node);
    if (layer) layers_.insert(&node);
    if (layer && !above) first_.insert(&node);
    for (const Value* output : node.outputs()) {
      if (!output) continue;
      above_[output->id()] = above || layer;
      constant_[output->id()] = constant;
    }
  }
}

void Layers::walk_up(const Graph& graph) {
  for (const Node* node = graph.nodes().back(); node; node = node->previous()) {
    bool below =
        std::ranges::any_of(node->outputs(), [this](const Value* output) { return output && below_[output->id()]; });
    const bool layer = layers_.contains(node);
    if (layer && !below) last_.insert(node);
    const bool behind = below;
    for_each_body(*node, [&](const Graph& body) {
      for (const ValueInfo* output : body.outputs())
        below_[output->value->id()] = below_[output->value->id()] || behind;
      walk_up(body);
      for (const ValueInfo* input : body.inputs()) below = below || below_[input->value->id()];
    });
    if (!below && !layer) continue;
    for (const Use& use : node->inputs()) {
      if (use.value()) below_[use.value()->id()] = true;
    }
  }
}

}  // namespace onnxpress::weights

// The layers of a model that could compute with integers, the activations between them, and plans for some of them.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/passes/integer/static_ops.h"
#include "onnxpress/tasks/quantize/weight_plan.h"
#include "onnxpress/weights/lossy/activation_range.h"

namespace onnxpress {

class StaticLayers {
 public:
  // Rounds the weights of all layers that can compute with integers, using what is known about their inputs.
  StaticLayers(Model& model, std::vector<PlannedWeight>& planned);

  const std::vector<passes::StaticLayer>& layers() const { return layers_; }
  // The index of a layer's weight among those planned, and what keeps its errors from adding up.
  std::size_t weight_of(std::size_t layer) const { return weights_[layer]; }
  const std::string& method_of(std::size_t layer) const { return methods_[layer]; }
  const weights::Quantized& rounded(std::size_t layer) const { return *rounded_[layer]; }

  using Ranges = std::unordered_map<const Value*, passes::ActivationRange>;
  // All activations that need a range if all layers compute with integers.
  std::vector<Value*> activations() const;
  // The plan in which these layers, and other ops between them that can, compute with integers.
  passes::StaticPlan plan(const std::vector<bool>& taken, const Ranges& ranges) const;
  // The same plan for a copy of the model.
  static passes::StaticPlan for_copy(const passes::StaticPlan& plan, Model& copy);

 private:
  void add_layers(PlannedWeight& planned, std::size_t number, const analysis::OpResolver& ops);
  // Other nodes that can compute with codes; adds their results to `quantized`.
  std::vector<Node*> others(std::unordered_set<const Value*>& quantized) const;

  Model& model_;
  std::vector<passes::StaticLayer> layers_;
  std::vector<std::size_t> weights_;
  std::vector<std::string> methods_;
  std::vector<std::shared_ptr<const weights::Quantized>> rounded_;
};

}  // namespace onnxpress

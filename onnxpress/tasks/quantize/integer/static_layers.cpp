// Finds layers, rounds their weights, and follows activations.
#include "onnxpress/tasks/quantize/integer/static_layers.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/tasks/quantize/layers/layer_vectors.h"
#include "onnxpress/weights/lossy/code_stream.h"
#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress {

namespace {

// Ops for which runtimes have kernels that read and write codes.
constexpr std::array<std::string_view, 5> kTakeCodes = {"Add", "Concat", "MaxPool", "AveragePool", "GlobalAveragePool"};

bool is_plain_product(const Node& node) {
  return !node.is("Gemm") || (attribute_or<float>(node, "alpha", 1) == 1 && attribute_or<float>(node, "beta", 1) == 1 &&
                              attribute_or<std::int64_t>(node, "transA", 0) == 0);
}

// The third operand, which is to become integers: null if there is none, nullopt if it cannot become integers.
std::optional<Value*> bias_for(const Node& node, std::uint64_t channels) {
  Value* bias = node.is("MatMul") || node.input_count() < 3 ? nullptr : node.input(2);
  if (!bias) return nullptr;
  const Tensor* tensor = constant_tensor(*bias);
  if (!tensor || tensor->type != ElementType::kFloat || tensor->dims.size() != 1 || tensor->element_count() != channels)
    return std::nullopt;
  return bias;
}

// The bias plus `shift`, which may be empty.
std::vector<double> bias_numbers(const Model& model, const Value& bias, std::span<const float> shift) {
  const weights::FloatSource source(model.files, *constant_tensor(bias));
  std::vector<float> floats(source.count());
  source.read(0, floats.size(), floats.data());
  std::vector<double> numbers(floats.begin(), floats.end());
  for (std::size_t i = 0; i < shift.size(); ++i) numbers[i] += static_cast<double>(shift[i]);
  return numbers;
}

// The result of a node that is quantized: the one after a following Relu or Clip, which runtimes leave out because the
// range of the codes does its work. Null for an output of the model, which is not rounded.
Value* quantized_result(const Node& node) {
  Value* value = node.output();
  while (value && !value->is_output() && value->use_count() == 1) {
    const Node& next = *value->first_use()->user();
    if ((!next.is("Relu") && !next.is("Clip")) || next.graph() != node.graph() || next.input(0) != value) break;
    value = next.output();
  }
  return !value || value->is_output() || !value->is_used() ? nullptr : value;
}

}  // namespace

StaticLayers::StaticLayers(Model& model, std::vector<PlannedWeight>& planned) : model_(model) {
  const analysis::OpResolver ops(model);
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if ((planned[i].reason_kept.empty() || planned[i].lossless) && planned[i].weight.value->graph() == &model.graph())
      add_layers(planned[i], i, ops);
  }
  std::vector<std::pair<std::shared_ptr<const weights::Quantized>, weights::LayerLoss>> rounded(planned.size());
  std::vector<std::string> methods(planned.size());
  parallel_for(planned.size(), [&](std::size_t i) {
    const auto layer = std::ranges::find(weights_, i);
    if (layer == weights_.end()) return;
    weights::WeightRole role = planned[i].weight.role;
    role.channel_begin = layers_[static_cast<std::size_t>(layer - weights_.begin())].channel_axis;
    role.channel_end = role.channel_begin + 1;
    auto plain = weights::quantize(planned[i].source, role,
                                   weights::parse_scheme("int8 scale=min-max"));  // runtimes accept no negative scales
    if (planned[i].layer) {
      const weights::LayerRounding rounding(*planned[i].source, planned[i].layer);
      auto other = rounding.compensated(plain);
      weights::LayerLoss loss = rounding.loss_of(plain), better = rounding.loss_of(other);
      if (better.least() < loss.least())
        plain = std::move(other), loss = std::move(better), methods[i] = "error compensation";
      if (!loss.prefers_shift()) loss.shift.clear();
      if (!loss.shift.empty()) methods[i] += methods[i].empty() ? "bias correction" : ", bias correction";
      rounded[i].second = std::move(loss);
    }
    rounded[i].first = std::make_shared<const weights::Quantized>(std::move(plain));
  });
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto& [weight, loss] = rounded[weights_[i]];
    layers_[i].weight = weights::channel_codes(weight, true);
    rounded_.push_back(weight);
    // The bias is corrected only if no other layer uses it.
    const bool is_own = layers_[i].bias && layers_[i].bias == planned[weights_[i]].bias;
    if (layers_[i].bias)
      layers_[i].bias_numbers = bias_numbers(model, *layers_[i].bias, is_own ? loss.shift : std::vector<float>());
    methods_.push_back(methods[weights_[i]]);
  }
}

void StaticLayers::add_layers(PlannedWeight& planned, std::size_t number, const analysis::OpResolver& ops) {
  const auto uses = layer_uses(*planned.weight.value, *planned.weight.tensor, ops);
  std::vector<passes::StaticLayer> found;
  for (const LayerUse& use : uses) {
    const weights::LayerSample layout = sample_for(use, *planned.weight.tensor);
    const auto bias = bias_for(*use.node, layout.all_rows());
    if (!bias || !is_plain_product(*use.node)) return;
    const std::size_t axis = use.node->is("Conv") || layout.column_stride == 1 ? 0 : 1;
    found.push_back({.node = const_cast<Node*>(use.node), .bias = *bias, .channel_axis = axis});
  }
  for (passes::StaticLayer& layer : found) {
    layers_.push_back(std::move(layer));
    weights_.push_back(number);
  }
}

std::vector<Node*> StaticLayers::others(std::unordered_set<const Value*>& quantized) const {
  std::vector<Node*> found;
  for (Node& node : model_.graph().nodes()) {
    if (std::ranges::find(kTakeCodes, node.op_type()) == kTakeCodes.end() || !node.domain().empty()) continue;
    if (node.output_count() != 1) continue;
    const bool all = node.input_count() > 0 && std::ranges::all_of(node.inputs(), [&](const Use& use) {
                       return use.value() && quantized.contains(use.value());
                     });
    const Value* result = all ? quantized_result(node) : nullptr;
    if (!result) continue;
    quantized.insert(result);
    found.push_back(&node);
  }
  return found;
}

std::vector<Value*> StaticLayers::activations() const {
  std::vector<Value*> all;
  std::unordered_set<const Value*> quantized;
  const auto add = [&](Value* value) {
    if (value && quantized.insert(value).second) all.push_back(value);
  };
  for (const passes::StaticLayer& layer : layers_) add(layer.node->input(0)), add(quantized_result(*layer.node));
  std::unordered_set<const Value*> grown = quantized;
  for (Node* node : others(grown)) add(quantized_result(*node));
  return all;
}

passes::StaticPlan StaticLayers::plan(const std::vector<bool>& taken, const Ranges& ranges) const {
  passes::StaticPlan made;
  std::unordered_set<const Value*> quantized;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!taken[i] || !ranges.contains(layers_[i].node->input(0))) continue;
    made.layers.push_back(layers_[i]);
    quantized.insert(layers_[i].node->input(0));
    const Value* result = quantized_result(*layers_[i].node);
    if (result && ranges.contains(result)) quantized.insert(result);
  }
  made.others = others(quantized);
  std::erase_if(made.others, [&](const Node* node) { return !ranges.contains(quantized_result(*node)); });
  for (const Value* value : quantized) {
    if (const auto found = ranges.find(value); found != ranges.end()) made.ranges.insert(*found);
  }
  // MaxPool only selects numbers, so its result has the codes and the range of its input.
  for (const Node* node : made.others) {
    if (node->is("MaxPool")) made.ranges[node->output()] = made.ranges.at(node->input(0));
  }
  return made;
}

passes::StaticPlan StaticLayers::for_copy(const passes::StaticPlan& plan, Model& copy) {
  std::unordered_map<std::uint32_t, Value*> values;  // by id, which a clone keeps
  const auto add = [&values](Value* value) {
    if (value) values.emplace(value->id(), value);
  };
  for (Node& node : copy.graph().nodes()) {
    for (const Use& use : node.inputs()) add(use.value());
    for (Value* output : node.outputs()) add(output);
  }
  const auto node_of = [&](const Node* node) { return values.at(node->output()->id())->producer(); };
  passes::StaticPlan made = plan;
  for (passes::StaticLayer& layer : made.layers) {
    layer.node = node_of(layer.node);
    if (layer.bias) layer.bias = values.at(layer.bias->id());
  }
  for (Node*& node : made.others) node = node_of(node);
  made.ranges.clear();
  for (const auto& [value, range] : plan.ranges) made.ranges.emplace(values.at(value->id()), range);
  return made;
}

}  // namespace onnxpress

// Inserts QuantizeLinear and DequantizeLinear after each activation, and DequantizeLinear after weights and biases.
#include "onnxpress/passes/integer/static_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "onnxpress/ir/constants.h"

namespace onnxpress::passes {

float ActivationRange::scale() const {
  const float wide = (std::max(high, 0.0F) - std::min(low, 0.0F)) / 255;
  return wide > std::numeric_limits<float>::min() && std::isfinite(wide) ? wide : 1;
}

std::uint8_t ActivationRange::zero() const {
  return static_cast<std::uint8_t>(std::clamp(std::nearbyint(-std::min(low, 0.0F) / scale()), 0.0F, 255.0F));
}

namespace {

template <typename T>
Bytes owned_bytes(std::span<const T> values) {
  return Bytes::owned({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

class StaticRewriter {
 public:
  StaticRewriter(Model& model, const StaticPlan& plan) : model_(model), graph_(model.graph()), plan_(plan) {
    for (const StaticLayer& layer : plan.layers) nodes_.insert(layer.node);
    nodes_.insert(plan.others.begin(), plan.others.end());
  }

  void run() {
    std::vector<Value*> activations;  // collected before anything changes
    for (Node& node : graph_.nodes()) {
      if (!nodes_.contains(&node)) continue;
      for (const Use& use : node.inputs()) add(use.value(), activations);
      add(result_of(node), activations);
    }
    for (const StaticLayer& layer : plan_.layers) quantize_constants(layer);
    for (Value* value : activations) quantize(*value);
  }

 private:
  void add(Value* value, std::vector<Value*>& all) const {
    if (value && plan_.ranges.contains(value) && std::ranges::find(all, value) == all.end()) all.push_back(value);
  }

  // The value to quantize after a node: its result, or that of the Relu or Clip that is its only reader.
  Value* result_of(const Node& node) const {
    Value* value = node.output();
    while (value && !plan_.ranges.contains(value)) {
      if (value->use_count() != 1 || value->is_output()) return nullptr;
      value = value->first_use()->user()->output();
    }
    return value;
  }

  bool comes_from_integers(const Value& value) const {
    for (const Node* node = value.producer(); node; node = node->input(0) ? node->input(0)->producer() : nullptr) {
      if (nodes_.contains(node)) return true;
      if (!node->is("Relu") && !node->is("Clip")) return false;
      if (!node->input(0) || node->input(0)->use_count() != 1) return false;
    }
    return false;
  }

  // If an integer layer computes the value, all readers take the dequantized value; otherwise only integer layers do.
  void quantize(Value& value) {
    const ActivationRange& range = plan_.ranges.at(&value);
    const float scale = range.scale();
    const std::uint8_t zero = range.zero();
    Node* producer = value.producer();
    Node* position = producer ? producer->next() : graph_.nodes().front();
    const bool for_all = comes_from_integers(value);
    std::vector<std::pair<Node*, std::size_t>> readers;
    for (const Use* use = value.first_use(); use; use = use->next()) {
      if (for_all ? use->user()->graph() == &graph_ : nodes_.contains(use->user()))
        readers.emplace_back(use->user(), use->index());
    }
    Value* scales = constant(ElementType::kFloat, {}, owned_bytes(std::span(&scale, 1)));
    Value* zeros = constant(ElementType::kUint8, {}, owned_bytes(std::span(&zero, 1)));
    Value* codes = node(position, "QuantizeLinear", {&value, scales, zeros});
    Value* decoded = node(position, "DequantizeLinear", {codes, scales, zeros});
    for (const auto& [reader, operand] : readers) graph_.set_input(*reader, operand, decoded);
  }

  void quantize_constants(const StaticLayer& layer) {
    Value* weight = layer.node->input(1);
    std::vector<float> scales = layer.weight.scales;
    for (float& scale : scales) scale = scale == 0 ? 1 : scale;  // channels whose weights are all zero have scale 0
    const auto count = static_cast<std::int64_t>(scales.size());
    Value*& decoded = weights_[weight];
    if (!decoded) {
      Value* codes = constant(ElementType::kInt8, constant_tensor(*weight)->dims, layer.weight.codes);
      Value* factors = constant(ElementType::kFloat, std::span(&count, 1), owned_bytes(std::span<const float>(scales)));
      // ONNX Runtime uses an integer Gemm only for weights that have zero points.
      Value* zeros = layer.node->is("Gemm") ? constant(ElementType::kInt8, std::span(&count, 1),
                                                       Bytes::owned(std::string(scales.size(), '\0')))
                                            : nullptr;
      decoded = dequantized(codes, factors, static_cast<std::int64_t>(layer.channel_axis), zeros);
    }
    graph_.set_input(*layer.node, 1, decoded);
    if (!weight->is_used()) remove_unused_constant(*weight);
    if (layer.bias) quantize_bias(layer, scales);
  }

  // Stores the bias as int32 multiples of the products' scale (input scale * weight scale).
  void quantize_bias(const StaticLayer& layer, const std::vector<float>& scales) {
    Value* bias = layer.bias;
    const float input = plan_.ranges.at(layer.node->input(0)).scale();
    std::vector<float> factors(scales.size());
    std::vector<std::int32_t> codes(scales.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      factors[i] = input * scales[i];
      const double code = std::nearbyint(layer.bias_numbers[i] / std::max(static_cast<double>(factors[i]), 1e-300));
      codes[i] = static_cast<std::int32_t>(std::clamp(code, -2147483647.0, 2147483647.0));
    }
    const auto count = static_cast<std::int64_t>(codes.size());
    Value* whole =
        constant(ElementType::kInt32, std::span(&count, 1), owned_bytes(std::span<const std::int32_t>(codes)));
    Value* scale = constant(ElementType::kFloat, std::span(&count, 1), owned_bytes(std::span<const float>(factors)));
    graph_.set_input(*layer.node, 2, dequantized(whole, scale, 0));
    if (!bias->is_used()) remove_unused_constant(*bias);
  }

  Value* dequantized(Value* codes, Value* scales, std::int64_t axis, Value* zeros = nullptr) {
    Value* result = graph_.create_value({});
    std::vector<Value*> inputs = {codes, scales};
    if (zeros) inputs.push_back(zeros);
    Attribute* attribute = make_attribute(model_.arena(), "axis", axis);
    graph_.insert_before(graph_.nodes().front(), {.op_type = "DequantizeLinear",
                                                  .inputs = inputs,
                                                  .outputs = std::span(&result, 1),
                                                  .attributes = std::span(&attribute, 1)});
    return result;
  }
  Value* node(Node* position, std::string_view op_type, const std::vector<Value*>& inputs) {
    Value* result = graph_.create_value({});
    graph_.insert_before(position, {.op_type = op_type, .inputs = inputs, .outputs = std::span(&result, 1)});
    return result;
  }
  Value* constant(ElementType type, std::span<const std::int64_t> dims, Tensor::Content content) {
    return add_constant(model_, graph_, graph_.nodes().front(),
                        make_tensor(model_.arena(), type, dims, std::move(content)));
  }

  Model& model_;
  Graph& graph_;
  const StaticPlan& plan_;
  std::unordered_set<const Node*> nodes_;
  std::unordered_map<const Value*, Value*> weights_;
};

}  // namespace

void insert_static(Model& model, const StaticPlan& plan) { StaticRewriter(model, plan).run(); }

}  // namespace onnxpress::passes

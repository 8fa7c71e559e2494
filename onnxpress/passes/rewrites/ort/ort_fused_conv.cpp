// Merges an activation into the Conv or Gemm before it.
//
//   before: y = Relu(Conv(x, w, b))   or of LeakyRelu, Sigmoid, Tanh; or behind a Gemm
//   after:  y = com.microsoft.FusedConv(x, w, b, activation = "Relu")
#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

namespace {

// The attributes of the layer, unchanged.
std::vector<Parameter> parameters_of(const Node& layer) {
  std::vector<Parameter> parameters;
  for (const Attribute* each : layer.attributes()) {
    if (const auto* number = std::get_if<std::int64_t>(&each->value)) parameters.emplace_back(each->name, *number);
    if (const auto* number = std::get_if<float>(&each->value)) parameters.emplace_back(each->name, *number);
    if (const auto* text = std::get_if<std::string_view>(&each->value)) parameters.emplace_back(each->name, *text);
    if (const auto* list = std::get_if<std::span<const std::int64_t>>(&each->value))
      parameters.emplace_back(each->name, std::vector<std::int64_t>(list->begin(), list->end()));
  }
  return parameters;
}

bool apply_ort_fused_conv(Node& activation, Rewriter& rw) {
  const bool is_conv = rw.producer(activation.input(0), "Conv") != nullptr;
  Node* layer = rw.sole_producer(activation.input(0), is_conv ? "Conv" : "Gemm");
  if (!layer || !is_for_ort(activation.output(), rw)) return false;
  std::vector<Parameter> parameters = parameters_of(*layer);
  parameters.emplace_back("activation", activation.op_type());
  if (activation.is("LeakyRelu")) {
    const double alpha = rw.params(activation).real_or("alpha", 0.01);
    if (is_conv) parameters.emplace_back("activation_params", std::vector<float>{static_cast<float>(alpha)});
    if (!is_conv) parameters.emplace_back("activation_alpha", alpha);
  }
  std::vector<Value*> operands;
  for (const Use& use : layer->inputs()) operands.push_back(use.value());
  return rw.replace(activation, rw.make(is_conv ? "FusedConv" : "FusedGemm", operands, parameters, kOrtDomain));
}

constexpr std::string_view kOrtFusedConvRoots[] = {"Relu", "LeakyRelu", "Sigmoid", "Tanh"};

}  // namespace

extern const Rewrite ort_fused_conv;
const Rewrite ort_fused_conv = {.name = "ort-fused-conv",
                                .summary = "merges an activation into the Conv or Gemm before it",
                                .exactness = Exactness::kReassociates,
                                .group = "ort",
                                .large_pattern = true,
                                .roots = kOrtFusedConvRoots,
                                .apply = apply_ort_fused_conv};

}  // namespace onnxpress::passes

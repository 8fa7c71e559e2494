// Activations that other ops (RNN, FusedConv, FusedGemm) name by a string and apply to their result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace onnxpress::ops {

struct ScalarActivation {
  enum class Kind : std::uint8_t {
    kNone,
    kRelu,
    kTanh,
    kSigmoid,
    kAffine,
    kLeakyRelu,
    kThresholdedRelu,
    kScaledTanh,
    kHardSigmoid,
    kElu,
    kSoftsign,
    kSoftplus,
    kClip,
    kHardSwish,
    kSilu,
  };
  Kind kind = Kind::kNone;
  double alpha = 0, beta = 0;

  bool has_alpha() const;  // does the kind use it?
  bool has_beta() const;
  void apply(std::span<float> values) const;
  void apply(std::span<double> values) const;
};

// With the default alpha and beta of the ONNX specification; nullopt for an unknown name. Case does not matter.
std::optional<ScalarActivation> activation_named(std::string_view name);

}  // namespace onnxpress::ops

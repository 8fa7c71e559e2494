// Stores each weight in the smallest form that restores all its bits.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/passes/saving.h"
#include "onnxpress/weights/choose/target.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

struct EncodeOptions {
  Target target = Target::kOrt;
  std::function<bool(std::string_view name)> wants;                       // which encodings to try; empty: all
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // bytes looked at; may be empty
  bool pack = false;                                                      // with encodings that take long to decode

  bool tries(const Encoding& encoding) const {
    return (pack || !encoding.only_when_packing) && (!wants || wants(encoding.name));
  }
};

// Initializers and Constant nodes of the main graph and its bodies; chains stand in the main graph, in front of the
// first node that needs them, and put out the tensor under its old name. Left alone: what callers may override,
// operands that say shapes, axes and the like, operands of ops and functions that we know nothing about, and results
// over 1 GiB.
std::vector<passes::Saving> encode_weights(Model& model, const EncodeOptions& options);

}  // namespace onnxpress::weights

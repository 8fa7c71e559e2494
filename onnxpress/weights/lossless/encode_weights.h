// Stores each weight in the smallest form that restores all its bits.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/passes/whole/saving.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/target.h"

namespace onnxpress::weights {

struct EncodeOptions {
  Target target = Target::kOrt;
  std::function<bool(std::string_view name)> wants;                       // which encodings to try; empty: all
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // in bytes that were looked at; may be empty
  bool pack = false;                                                      // also use encodings that take long to decode

  bool tries(const Encoding& encoding) const {
    return (pack || !encoding.only_when_packing) && (!wants || wants(encoding.name));
  }
};

// Encodes initializers and Constant nodes of the main graph and its bodies. Chains are inserted into the main graph, in
// front of the first node that needs them, and their results get the names of the tensors. Left alone: initializers
// that callers may override, operands that give shapes, axes and the like, operands of unknown ops and functions, and
// results over 1 GiB.
std::vector<passes::Saving> encode_weights(Model& model, const EncodeOptions& options);

}  // namespace onnxpress::weights

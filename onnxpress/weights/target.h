// Target: the kind of runtime that will load a shrunk model, and what it can decode.
#pragma once

#include <cstdint>

#include "onnxpress/ir/element_type.h"
#include "onnxpress/ops/core/op.h"

namespace onnxpress::weights {

enum class Target : std::uint8_t {
  kOrt,        // ONNX Runtime, native and WebAssembly: folds chains of standard ops when it loads a model
  kOrtWebGpu,  // the WebGPU builds of ONNX Runtime Web: the same, with fewer element types
  kOrtFormat,  // to be converted to .ort, which would store the decoded weights: no chains
  kAny,        // other runtimes: no chains
};

// May weights be stored as a chain of nodes at all?
bool decodes_chains(Target target);
// Can it run the op on elements of this type, provided that the standard allows the type?
bool runs(Target target, const ops::Op& op, ElementType type);

// ONNX Runtime does not fold a node whose result is larger than this (since 1.27): it would run at every inference.
inline constexpr std::uint64_t kMostFoldedBytes = std::uint64_t{1} << 30;

}  // namespace onnxpress::weights

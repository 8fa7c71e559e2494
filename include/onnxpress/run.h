/// \file
/// Computes the outputs of a model with the built-in evaluator: an oracle for tests, not a fast runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/base/bytes.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

/// An input or output: a dense tensor with a name.
struct NamedTensor {
  std::string name;                            ///< of the input or output
  ElementType type = ElementType::kUndefined;  ///< of its elements
  std::vector<std::int64_t> dims;              ///< its sizes
  Bytes content;                               ///< little-endian, as in raw_data; not for strings
  std::vector<std::string> strings;            ///< elements of a string tensor
};

/// Runs the main graph and returns its outputs in order. Inputs that have an initializer may be left out.
///
/// Throws Error, with the place and the reason, if an input is missing, an op cannot be computed, or an output is a
/// sequence or a map.
std::vector<NamedTensor> run(const Model& model, const std::vector<NamedTensor>& inputs);

}  // namespace onnxpress

// Ops that draw random numbers: whether a model has any, and seeds for them.
#pragma once

#include <cstdint>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::engines {

enum class RandomOps : std::uint8_t {
  kNone,
  kSeeded,    // each has a seed of its own
  kUnseeded,  // runtimes choose their numbers by the time, or by the position of the node
};
// Dropout only counts in training.
RandomOps random_ops_of(const Model& model, const analysis::OpResolver& ops);
// Gives each of these ops another seed.
void set_seeds(Model& model);

}  // namespace onnxpress::engines

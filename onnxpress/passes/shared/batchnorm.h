// An inference-time BatchNormalization as a factor and an offset for each channel, for rewrites that fold it into
// weights.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

struct ChannelAffine {
  Value *factor, *shift;  // constants, of the type of the BatchNormalization
};

// With k = scale / sqrt(var + epsilon), BatchNormalization(z + added) is z * k + ((added - mean) * k + bias).
// `added` is a constant, or null for none. Computed in double and rounded once. nullopt in training mode, or when
// something is known only at run time.
std::optional<ChannelAffine> affine_of(const Node& batchnorm, Value* added, Rewriter& rw);

}  // namespace onnxpress::passes

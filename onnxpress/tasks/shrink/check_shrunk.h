// Checks that a shrunk model is what it should be.
#pragma once

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/shrink/pipeline.h"

namespace onnxpress::tasks {

// Compares nodes, connections and decoded constants of `after`, which was read back, with those of the original; both
// change. Weights may be off by as much as `made.changes` says. If nodes were replaced, `after` is compared with
// `meant` instead: the model in memory. Throws Error if they differ, which would be a bug in onnxpress.
void require_same_after_shrinking(Model& original, const Model& meant, Model& after, const ShrinkOptions& options,
                                  const ShrunkModel& made);

// Throws Error for option `verify` together with options that change bits.
void require_one_verification(const ShrinkOptions& options);

}  // namespace onnxpress::tasks

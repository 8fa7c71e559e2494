// Makes the intended changes to the original as well, and compares.
#include "onnxpress/tasks/shrink/check_shrunk.h"

#include "onnxpress/base/stages.h"
#include "onnxpress/passes/whole/freeze_inputs.h"
#include "onnxpress/passes/whole/remove_dead.h"

namespace onnxpress {

void require_same_after_shrinking(Model& original, Model& after, bool froze, const compare::RoundedWeights& rounded) {
  begin_stage("checking the result");
  for (Model* model : {&original, &after}) {
    if (froze) passes::freeze_inputs(*model);
    passes::remove_dead(*model);
  }
  compare::require_same_model(original, after, rounded);
}

}  // namespace onnxpress

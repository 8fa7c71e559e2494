// Makes the intended changes to the original as well, and compares.
#include "onnxpress/tasks/shrink/check_shrunk.h"

#include "onnxpress/base/stages.h"
#include "onnxpress/compare/same_model.h"
#include "onnxpress/passes/whole/extract_constants.h"
#include "onnxpress/passes/whole/freeze_inputs.h"
#include "onnxpress/passes/whole/narrow_types.h"
#include "onnxpress/passes/whole/remove_dead.h"

namespace onnxpress::tasks {

void require_same_after_shrinking(Model& original, const Model& meant, Model& after, const ShrinkOptions& options,
                                  const ShrunkModel& made) {
  begin_stage("checking the result");
  if (made.changes.new_nodes) return compare::require_same_model(meant, after);
  if (options.extraction.narrow_types) passes::narrow_types(original);
  const auto extracted = passes::extract_constants(original, options.extraction.wish());
  for (std::size_t i = 0; i < extracted.size(); ++i) {
    const std::string_view name = made.extracted.at(i).input->name();
    original.graph().rename(*extracted[i].input, original.arena().text(name));
  }
  for (Model* model : {&original, &after}) {
    if (options.freeze) passes::freeze_inputs(*model);
    passes::remove_dead(*model);
  }
  compare::require_same_model(original, after, made.changes.rounded());
}

}  // namespace onnxpress::tasks

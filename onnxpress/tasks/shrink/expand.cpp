// Undoes the chains of a model.
#include "onnxpress/tasks/shrink/expand.h"

#include "onnxpress/base/stages.h"
#include "onnxpress/compare/same_model.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/files/require_order.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"
#include "onnxpress/weights/chain/expand_chains.h"

namespace onnxpress {

ExpandReport expand(Model& model) {
  require_order(model);
  require_clear_names(model);
  RestoreOnFailure restore(model);
  begin_stage("decoding weights");
  const weights::Expanded expanded = weights::expand_chains(model);
  restore.keep();
  return {.tensors = expanded.tensors, .bytes = expanded.bytes, .nodes = expanded.nodes};
}

void require_expanded(Model& original, Model& expanded) {
  for (Model* model : {&original, &expanded}) passes::remove_dead(*model);
  compare::require_same_model(original, expanded);
}

std::string to_json(const ExpandReport& report) { return json_text(report); }

}  // namespace onnxpress

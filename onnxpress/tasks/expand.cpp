// Reads a model, undoes its chains, writes it, and checks the written file.
#include "onnxpress/tasks/expand.h"

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/same_model.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/tasks/files/require_order.h"
#include "onnxpress/tasks/files/write_checked.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/weights/chain/expand_chains.h"

namespace onnxpress::tasks {

namespace {

void require_same(const std::string& input, Model& after, const LoadOptions& options) {
  LoadedModel before = load_model(input, options);
  for (Model* model : {&before.model, &after}) passes::remove_dead(*model);
  compare::require_same_model(before.model, after);
}

}  // namespace

ExpandReport expand(const std::string& input, const std::string& output, const ExpandOptions& options,
                    const ConvertStreams& streams) {
  begin_stage("reading");
  LoadedModel loaded = load_model(input, options.load);
  try {
    require_order(loaded.model);
    require_clear_names(loaded.model);
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
  begin_stage("decoding weights");
  const weights::Expanded expanded = weights::expand_chains(loaded.model);
  ExpandReport report{.file = loaded.name,
                      .output = output,
                      .tensors = expanded.tensors,
                      .bytes = expanded.bytes,
                      .nodes = expanded.nodes};
  ConvertReport written;
  const auto check = [&](Model& after) {
    require_same(input, after, options.load);
    if (options.compare_outputs && !after.path.empty())
      report.outputs = options.compare_outputs({input, after.path.string(), {}, options.load});
  };
  write_checked(loaded, output, options.load, streams, check, written);
  report.files = written.files;
  return report;
}

std::string to_json(const ExpandReport& report) { return json_text(report); }

}  // namespace onnxpress::tasks

// Reads, undoes chains, writes, and checks what was written.
#include "onnxpress/tasks/expand.h"

#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/shrink/staged_files.h"
#include "onnxpress/tasks/verify/read_back.h"
#include "onnxpress/tasks/verify/same_model.h"
#include "onnxpress/weights/chain/expand_chains.h"

namespace onnxpress::tasks {

namespace {

// Throws Error when the result is not the same model: a defect of ours.
void check_expanded(const std::string& input, Model after, const std::string& output, const LoadOptions& options) {
  LoadedModel before = load_model(input, options);
  for (Model* model : {&before.model, &after}) passes::remove_dead(*model);
  try {
    require_same_model(before.model, after);
  } catch (Error& error) {
    error.set_file(output);
    throw;
  }
}

}  // namespace

ExpandReport expand(const std::string& input, const std::string& output, const ExpandOptions& options,
                    const ConvertStreams& streams) {
  LoadedModel loaded = load_model(input, options.load);
  const weights::Expanded expanded = weights::expand_chains(loaded.model);
  ExpandReport report{.file = loaded.name,
                      .output = output,
                      .tensors = expanded.tensors,
                      .bytes = expanded.bytes,
                      .nodes = expanded.nodes};
  const bool has_external = !loaded.model.external_files.empty();
  ConvertOptions convert_options{.load = options.load};
  if (has_external) convert_options.weights.external_data = "";
  // Text and JSON have their external files copied along, which has rules of its own.
  std::optional<StagedFiles> staged;
  if (!has_external || format_of_name(output) == ModelFormat::kOnnx)
    staged.emplace(output, false);
  else
    check_expanded(input, read_back(loaded.model), output, options.load);
  ConvertReport written;
  const std::string target = staged ? staged->path_of(output) : output;
  write_converted(loaded, target, convert_options, streams, written);
  if (staged) {
    if (written.lost.empty()) check_expanded(input, load_model(target, options.load).model, output, options.load);
    staged->move_into_place(written.files);
  }
  report.files = written.files;
  return report;
}

std::string to_json(const ExpandReport& report) { return json_text(report); }

}  // namespace onnxpress::tasks

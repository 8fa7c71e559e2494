// Reads, undoes chains, writes.
#include "onnxpress/tasks/expand.h"

#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/weights/chain/expand_chains.h"

namespace onnxpress::tasks {

ExpandReport expand(const std::string& input, const std::string& output, const ExpandOptions& options,
                    const ConvertStreams& streams) {
  LoadedModel loaded = load_model(input, options.load);
  const weights::Expanded expanded = weights::expand_chains(loaded.model);
  ExpandReport report{.file = loaded.name,
                      .output = output,
                      .tensors = expanded.tensors,
                      .bytes = expanded.bytes,
                      .nodes = expanded.nodes};
  ConvertOptions convert_options{.load = options.load};
  if (!loaded.model.external_files.empty()) convert_options.weights.external_data = "";
  ConvertReport written;
  write_converted(loaded, output, convert_options, streams, written);
  report.files = written.files;
  return report;
}

std::string to_json(const ExpandReport& report) { return json_text(report); }

}  // namespace onnxpress::tasks

// The table of tasks. Each works from file to file, as in the command, so that results have the same bytes.
#include "web/bridge/tasks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "onnxpress/base/error.h"
#include "onnxpress/base/version.h"
#include "onnxpress/tasks/by_name/option_values.h"
#include "onnxpress/tasks/files/change_file.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/inspect/info.h"
#include "onnxpress/tasks/jobs/ask_files.h"
#include "onnxpress/tasks/jobs/optimize_file.h"
#include "onnxpress/tasks/jobs/quantize_file.h"
#include "onnxpress/tasks/jobs/shrink_file.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/report/field_lists/diff.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::web {

namespace {

// A question about one model.
template <auto kAsk, typename Options>
std::string ask(const Request& request, const Progress&) {
  return to_json(kAsk(request.inputs[0], options_in<Options>(request.options)));
}

// A task that writes a model.
template <auto kWrite, typename Options>
std::string change(const Request& request, const Progress& progress) {
  ConvertStreams streams;
  streams.progress = progress;
  return to_json(kWrite(request.inputs[0], request.output, options_in<Options>(request.options), streams));
}

OptimizeReport optimize_to(const std::string& input, const std::string& output, const OptimizeOptions& options,
                           const ConvertStreams& streams) {
  return optimize_file(input, output, options, streams);
}

std::string run_diff(const Request& request, const Progress&) {
  return to_json(diff_files(request.inputs[0], request.inputs[1], options_in<DiffOptions>(request.options)));
}

std::string run_graph(const Request& request, const Progress&) { return graph_json(request.inputs[0]); }

std::string run_infer(const Request& request, const Progress& progress) {
  const auto options = options_in<InferOptions>(request.options);
  if (request.output.empty()) return to_json(infer_file(request.inputs[0], options));
  return to_json(change_file(request.inputs[0], {.output = request.output, .load = options.load, .progress = progress},
                             [&](Model& model) { return declare_types(model, options); }));
}

std::string run_version(const Request&, const Progress&) { return json_text(std::string(version())); }

std::string run_weights(const Request& request, const Progress&) {
  return weights_json(request.inputs[0], request.graph, request.tensor);
}

struct TaskRow {
  std::string_view name;
  std::size_t inputs;
  bool writes;
  std::string (*run)(const Request& request, const Progress& progress);
};
constexpr TaskRow kTasks[] = {
    {"check", 1, false, ask<check_file, CheckOptions>},
    {"diff", 2, false, run_diff},
    {"graph", 1, false, run_graph},
    {"infer", 1, false, run_infer},
    {"info", 1, false, ask<info_file, InfoOptions>},
    {"optimize", 1, true, change<optimize_to, OptimizeOptions>},
    {"profile", 1, false, ask<profile_file, ProfileOptions>},
    {"quantize", 1, true, change<quantize_file, QuantizeOptions>},
    {"shrink", 1, true, change<shrink_file, ShrinkOptions>},
    {"version", 0, false, run_version},
    {"weights", 1, false, run_weights},
};

}  // namespace

std::string run_request(const Request& request, const Progress& progress) {
  for (const TaskRow& row : kTasks) {
    if (row.name != request.task) continue;
    if (request.inputs.size() != row.inputs)
      throw Error("", fmt::format("{} takes {} models, not {}", row.name, row.inputs, request.inputs.size()));
    if (row.writes && request.output.empty()) throw Error("", fmt::format("{} needs a name for its result", row.name));
    return row.run(request, progress);
  }
  throw Error("", fmt::format("there is no task {}", quote_name(request.task)));
}

}  // namespace onnxpress::web

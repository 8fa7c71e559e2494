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

template <typename Options>
Options options_of(const Request& request) {
  Options options;
  set_options(options, request.options);
  return options;
}

std::string run_check(const Request& request, const Progress&) {
  return to_json(check_file(request.inputs[0], options_of<CheckOptions>(request)));
}

std::string run_diff(const Request& request, const Progress&) {
  return to_json(diff_files(request.inputs[0], request.inputs[1], options_of<DiffOptions>(request)));
}

std::string run_graph(const Request& request, const Progress&) { return graph_json(request.inputs[0]); }

std::string run_infer(const Request& request, const Progress& progress) {
  const auto options = options_of<InferOptions>(request);
  if (request.output.empty()) return to_json(infer_file(request.inputs[0], options));
  return to_json(change_file(request.inputs[0], {.output = request.output, .load = options.load, .progress = progress},
                             [&](Model& model) { return declare_types(model, options); }));
}

std::string run_info(const Request& request, const Progress&) {
  return to_json(info_file(request.inputs[0], options_of<InfoOptions>(request)));
}

std::string run_optimize(const Request& request, const Progress& progress) {
  ConvertStreams streams;
  streams.progress = progress;
  return to_json(optimize_file(request.inputs[0], request.output, options_of<OptimizeOptions>(request), streams));
}

std::string run_profile(const Request& request, const Progress&) {
  return to_json(profile_file(request.inputs[0], options_of<ProfileOptions>(request)));
}

std::string run_quantize(const Request& request, const Progress& progress) {
  ConvertStreams streams;
  streams.progress = progress;
  return to_json(quantize_file(request.inputs[0], request.output, options_of<QuantizeOptions>(request), streams));
}

std::string run_shrink(const Request& request, const Progress& progress) {
  ConvertStreams streams;
  streams.progress = progress;
  return to_json(shrink_file(request.inputs[0], request.output, options_of<ShrinkOptions>(request), streams));
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
    {"check", 1, false, run_check},     {"diff", 2, false, run_diff},        {"graph", 1, false, run_graph},
    {"infer", 1, false, run_infer},     {"info", 1, false, run_info},        {"optimize", 1, true, run_optimize},
    {"profile", 1, false, run_profile}, {"quantize", 1, true, run_quantize}, {"shrink", 1, true, run_shrink},
    {"version", 0, false, run_version}, {"weights", 1, false, run_weights},
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

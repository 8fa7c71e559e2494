// From file to file: loads the model, runs the pipeline, writes the result, and measures it.
#include "onnxpress/tasks/shrink/shrink.h"

#include <algorithm>
#include <chrono>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/shrink/pipeline.h"
#include "onnxpress/tasks/shrink/shrink_to_download.h"
#include "onnxpress/tasks/shrink/write_shrunk.h"

namespace onnxpress::tasks {

namespace {

// Loads both models twice, in turn, and takes the shorter time of each: the first load also warms up the machine.
LoadTimes time_loading(const std::string& input, LoadedModel& shrunk, const ShrinkOptions& options) {
  begin_stage("measuring how long both models take to load");
  LoadedModel original = load_model(input, options.load);
  const auto seconds = [&options](Model& model) {
    const auto begin = std::chrono::steady_clock::now();
    options.engine->open(model, {.optimize = true, .pack_weights = true, .seed_random = true, .encode_anew = true});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  LoadTimes times{seconds(original.model), seconds(shrunk.model)};
  times.before = std::min(times.before, seconds(original.model));
  times.after = std::min(times.after, seconds(shrunk.model));
  return times;
}

}  // namespace

ShrinkReport shrink(const std::string& input, const std::string& output, const ShrinkOptions& options,
                    const ConvertStreams& streams) {
  if (options.weights.max_download && options.weights.estimated_download == 0)
    return shrink_to_download(input, output, options, streams);
  CostMeter cost;
  begin_stage("reading");
  LoadedModel loaded = load_model(input, options.load);
  try {
    ExtraFiles extra;
    ShrinkReport report = run_pipeline(loaded, output, options, streams.progress, extra);
    if (report.weights && report.weights->kept_promise == false && !options.weights.best_effort)
      report.refused = report.weights->note;
    else
      write_shrunk(loaded, input, output, options, streams, extra, report);
    if (options.pack && options.engine && !options.engine->is_evaluator() && input != "-" && report.refused.empty())
      report.load_seconds = time_loading(input, loaded, options);
    if (options.compressed) add_compressed_sizes(loaded, report, streams.progress);
    add_download(options, report, streams.progress);
    cost.fill(report);
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

std::string to_json(const ShrinkReport& report) { return json_text(report); }
std::string to_json(const std::vector<ReportRow<ShrinkReport>>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress::tasks

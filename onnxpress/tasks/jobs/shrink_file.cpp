// Loads the model, runs the pipeline, saves the result, and measures it.
#include "onnxpress/tasks/jobs/shrink_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/shrink/check_shrunk.h"
#include "onnxpress/tasks/shrink/pipeline.h"
#include "onnxpress/tasks/verify/compare_outputs.h"

namespace onnxpress {

namespace {

class ShrinkJob {
 public:
  ShrinkJob(const std::string& input, const std::string& output, const ShrinkOptions& options,
            const ConvertStreams& streams)
      : input_(input),
        output_(output),
        options_(options),
        streams_(streams),
        loaded_(open_model(input, options.load)) {}

  ShrinkReport run() {
    try {
      made_ = run_pipeline(loaded_.model, options_, streams_.progress);
      report_.file = loaded_.name;
      report_.output = output_;
      report_.dry_run = options_.dry_run;
      write();
      if (options_.pack && options_.engine && !options_.engine->is_evaluator() && input_ != "-") time_loading();
      return std::move(report_);
    } catch (Error& error) {
      error.set_file(loaded_.name);
      throw;
    }
  }

 private:
  void write() {
    if (report_.after.total() >= report_.before.total()) return copy();
    if (options_.dry_run && !options_.verify) return;
    SaveRequest request = request_for(output_);
    request.dry_run = options_.dry_run;
    request.original = original_in(input_, options_.load);
    request.check = [this](Model& written) { check(written); };
    // Alignment can make external data larger than it was. Sizes are those of .onnx files.
    const bool is_onnx = format_of_output(output_, {}) == ModelForm::kOnnx;
    if (is_onnx) request.smaller_than = report_.before.total();
    if (!options_.name_map.empty()) request.beside.push_back(name_map());
    const SaveReport saved = save_checked(loaded_.model, request);
    if (saved.too_large) return copy();
    if (saved.format == ModelForm::kOnnx) report_.after = {saved.bytes, saved.external};
    if (!options_.dry_run) report_.files = saved.files;
  }

  SaveRequest request_for(const std::string& output) const {
    return {.output = output,
            .load = options_.load,
            .progress = streams_.progress,
            .standard_output = streams_.standard_output};
  }

  // For a model that does not get smaller: writes it as it is, byte for byte if both files have the same form.
  void copy() {
    report_.unchanged = true;
    report_.after = report_.before;
    report_.methods.clear();
    report_.largest.clear();
    begin_stage("copying");
    if (options_.dry_run) return;
    report_.files = copy_unchanged(input_, request_for(output_)).files;
    if (!options_.verify) return;
    report_.verified = true;
    Model copied = open_model(output_, options_.load).model;
    compare_outputs_with(copied);
  }

  void check(Model& written) {
    Model original = open_model(input_, options_.load).model;
    require_same_after_shrinking(original, written, options_.freeze);
    if (!options_.verify) return;
    report_.verified = true;
    Model fresh = open_model(written.path.string(), options_.load).model;
    compare_outputs_with(fresh);
  }

  void compare_outputs_with(Model& written) {
    begin_stage("running both models");
    Model original = open_model(input_, options_.load).model;
    report_.outputs = compare_outputs(options_.engine, original, written);
  }

  Beside name_map() const {
    return {.path = options_.name_map, .write = [this](AtomicFile& file) {
              for (const auto& [fresh, old] : made_.names) file.write(fmt::format("{}\t{}\n", fresh, old));
            }};
  }

  // Loads both models twice, in turn, and takes the shorter time of each: the first load also warms up the machine.
  void time_loading() {
    begin_stage("measuring how long both models take to load");
    Model original = open_model(input_, options_.load).model;
    const auto seconds = [this](Model& model) {
      const auto begin = Clock::now();
      options_.engine->open(model, {.optimize = true, .pack_weights = true, .seed_random = true, .encode_anew = true});
      return seconds_since(begin);
    };
    LoadTimes times{seconds(original), seconds(loaded_.model)};
    times.before = std::min(times.before, seconds(original));
    times.after = std::min(times.after, seconds(loaded_.model));
    report_.load_seconds = times;
  }

  const std::string &input_, &output_;
  const ShrinkOptions& options_;
  const ConvertStreams& streams_;
  LoadedModel loaded_;
  ShrunkModel made_;
  ShrinkReport& report_ = made_.report;
};

}  // namespace

ShrinkReport shrink_file(const std::string& input, const std::string& output, const ShrinkOptions& options,
                         const ConvertStreams& streams) {
  CostMeter cost;
  begin_stage("reading");
  ShrinkReport report = ShrinkJob(input, output, options, streams).run();
  cost.fill(report);
  return report;
}

}  // namespace onnxpress

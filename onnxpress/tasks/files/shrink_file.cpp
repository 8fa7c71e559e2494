// Loads the model, runs the pipeline, saves the result, and measures it.
#include "onnxpress/tasks/files/shrink_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/shrink/check_shrunk.h"
#include "onnxpress/tasks/shrink/pipeline.h"
#include "onnxpress/tasks/verify/compare_outputs.h"

namespace onnxpress::tasks {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// nullopt: the file as it is, uncompressed.
std::optional<Compressor> compressor_of(OptimizeFor optimize_for) {
  switch (optimize_for) {
    case OptimizeFor::kFile:
      break;
    case OptimizeFor::kGzip:
      return Compressor::kGzip;
    case OptimizeFor::kBrotli:
      return Compressor::kBrotli;
    case OptimizeFor::kZstd:
      return Compressor::kZstd;
  }
  return std::nullopt;
}

class ShrinkJob {
 public:
  ShrinkJob(const std::string& input, const std::string& output, const ShrinkOptions& options,
            const ConvertStreams& streams)
      : input_(input),
        output_(output),
        options_(options),
        streams_(streams),
        loaded_(load_model(input, options.load)) {}

  ShrinkReport run() {
    try {
      ShrinkOptions complete = options_;
      complete.extraction.beside = output_;
      made_ = run_pipeline(loaded_.model, complete, streams_.progress);
      report_.file = loaded_.name;
      report_.output = output_;
      report_.dry_run = options_.dry_run;
      if (report_.refused.empty()) write();
      if (options_.pack && options_.engine && !options_.engine->is_evaluator() && input_ != "-" &&
          report_.refused.empty())
        time_loading();
      if (options_.compressed) add_compressed_sizes();
      add_download();
      return std::move(report_);
    } catch (Error& error) {
      error.set_file(loaded_.name);
      throw;
    }
  }

 private:
  // Is it a different model, with other inputs or rounded numbers? Then it is written, whatever its size.
  bool is_other_model() const {
    const CompressOptions& weights = options_.weights;
    const bool rounds_only = weights.is_lossy() && weights.encoding == WeightEncoding::kSimulate;
    return !made_.extracted.empty() || rounds_only || weights.wants_dynamic() || weights.is_static;
  }

  void write() {
    if (!is_other_model() && made_.after.total() >= made_.before.total()) return copy();
    if (options_.dry_run && !options_.verify) return;
    SaveRequest request = request_for(output_);
    request.dry_run = options_.dry_run;
    request.original = original_in(input_, options_.load);
    request.check = [this](Model& written) { check(written); };
    // Alignment can make external data larger than it was. Sizes are those of .onnx files.
    const bool is_onnx = format_of_output(output_, {}) == ModelFormat::kOnnx;
    if (!is_other_model() && is_onnx) request.smaller_than = made_.before.total();
    if (!made_.extracted.empty())
      request.beside = extracted_files(loaded_.model, made_.extracted, report_.extracted, output_);
    if (!options_.name_map.empty()) request.beside.push_back(name_map());
    const SaveReport saved = save_checked(loaded_.model, request);
    if (saved.too_large) return copy();
    if (saved.format == ModelFormat::kOnnx) report_.after = {saved.bytes, saved.external};
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
    if (made_.rounds) report_.weights.reset();  // the copy has no rounded weights
    begin_stage("copying");
    if (options_.dry_run) return;
    report_.files = copy_unchanged(input_, request_for(output_)).files;
    if (!options_.verify) return;
    report_.verified = true;
    Model copied = load_model(output_, options_.load).model;
    compare_outputs_with(copied);
  }

  void check(Model& written) {
    Model original = load_model(input_, options_.load).model;
    require_same_after_shrinking(original, loaded_.model, written, options_, made_);
    if (!options_.verify) return;
    report_.verified = true;
    Model fresh = load_model(written.path.string(), options_.load).model;
    compare_outputs_with(fresh);
  }

  void compare_outputs_with(Model& written) {
    begin_stage("running both models");
    Model original = load_model(input_, options_.load).model;
    engines::NamedArrays extracted;
    for (const passes::Extracted& each : made_.extracted)
      extracted.emplace_back(std::string(each.input->name()), ops::Array::from(each.tensor));
    report_.outputs = compare_outputs(options_.engine, original, written, extracted);
  }

  Beside name_map() const {
    return {.path = options_.name_map, .write = [this](AtomicFile& file) {
              for (const auto& [fresh, old] : made_.names) file.write(fmt::format("{}\t{}\n", fresh, old));
            }};
  }

  // Loads both models twice, in turn, and takes the shorter time of each: the first load also warms up the machine.
  void time_loading() {
    begin_stage("measuring how long both models take to load");
    Model original = load_model(input_, options_.load).model;
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

  // Only files are measured, not what goes through a pipe or was not written.
  std::vector<std::string> written_files() const {
    std::vector<std::string> files;
    for (const WrittenFile& file : report_.files) {
      if (file.path != "-") files.push_back(file.path);
    }
    return files;
  }

  void add_compressed_sizes() {
    std::vector<std::string> before;
    const std::vector<std::string> after = written_files();
    if (report_.file != "standard input") before.push_back(report_.file);
    for (const auto& file : loaded_.model.external_files) before.push_back(file->path().string());
    begin_stage("measuring the compressed size of the original");
    if (!before.empty()) report_.compressed_before = compressed_sizes(before, streams_.progress);
    begin_stage("measuring the compressed size of the result");
    if (!after.empty()) report_.compressed_after = compressed_sizes(after, streams_.progress);
  }

  // For --optimize-for; with --max-download, it is known already.
  void add_download() {
    const CompressOptions options = options_for(options_.target, options_.weights);
    const auto compressor = compressor_of(options.optimize_for.value_or(OptimizeFor::kFile));
    const std::vector<std::string> files = written_files();
    // A target may choose a compressor, too; without rounded weights, only the option itself asks for the size.
    const bool is_asked = options.is_lossy() || options_.weights.optimize_for;
    if (report_.download || !is_asked || !compressor || files.empty() || !can_compress()) return;
    begin_stage("measuring the compressed size of the result");
    report_.download = compressed_size(files, *compressor, streams_.progress);
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
  require_one_verification(options);
  CostMeter cost;
  begin_stage("reading");
  ShrinkReport report = ShrinkJob(input, output, options, streams).run();
  cost.fill(report);
  return report;
}

}  // namespace onnxpress::tasks

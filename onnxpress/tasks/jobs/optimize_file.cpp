// From file to file: loads, optimizes, shrinks if requested, and writes, but never a larger file than the input.
#include "onnxpress/tasks/jobs/optimize_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/weights/chain/expand_chains.h"

namespace onnxpress {

namespace {

std::uint64_t total_bytes(const LoadedModel& loaded) {
  std::uint64_t bytes = loaded.file_bytes;
  for (const auto& file : loaded.model.external_files) {
    std::error_code missing;
    const std::uint64_t size = std::filesystem::file_size(file->path(), missing);
    bytes += missing ? 0 : size;
  }
  return bytes;
}

// Resets the report, because the original is written instead of the result.
void forget_changes(OptimizeReport& report) {
  report.unchanged = true;
  report.nodes_after = report.nodes_before;
  report.costs_after = report.costs_before;
  for (OpChange& each : report.ops) {
    each.after = each.before;
    each.costs_after = each.costs_before;
  }
  report.steps.clear();
  report.rewrites.clear();
}

// As `shrink` does, with its checks. Returns the size in bytes.
std::uint64_t shrink_model(Model& model, const OptimizeOptions& options) {
  ShrinkOptions how;
  how.freeze = options.freeze;
  if (options.keep_layers) how.skip = {"docs"};  // optimize() has removed the others
  shrink(model, how);
  return format::encoded_size(model).total();
}

// Turns weights that nodes decode into plain tensors, for which `shrink` may find a smaller form. False when there are
// none.
bool decode_weights(Model& model, const OptimizeOptions& options) {
  return !options.exact && weights::expand_chains(model).tensors > 0;
}

// Shrinks the optimized model, the optimized model with its weights decoded first, and the original, and keeps the
// smallest result. The original may win, because computed or merged constants can leave fewer tensors to share.
void shrink_all_ways(Model& model, const std::string& input, const OptimizeOptions& options, OptimizeReport& report) {
  Model decoded = model.clone();
  std::uint64_t least = shrink_model(model, options);
  if (decode_weights(decoded, options)) {
    const std::uint64_t bytes = shrink_model(decoded, options);
    if (bytes < least) model = std::move(decoded);
    least = std::min(least, bytes);
  }
  if (options.wants_another_model()) return;  // the original is no alternative then
  Model plain = open_model(input, options.load).model;
  if (shrink_model(plain, options) >= least) return;
  model = std::move(plain);
  forget_changes(report);
  report.unchanged = false;
  report.remarks.emplace_back("shrunk without optimizing: the optimized model would be larger");
}

void write(LoadedModel& loaded, const std::string& input, const std::string& output, const OptimizeOptions& options,
           const ConvertStreams& streams, OptimizeReport& report) {
  const SaveRequest request{.output = output,
                            .original = original_in(input, options.load),
                            .load = options.load,
                            .progress = streams.progress,
                            .standard_output = streams.standard_output};
  const SaveReport written = report.unchanged ? copy_unchanged(input, request) : save_checked(loaded.model, request);
  report.files = written.files;
  report.bytes_after = 0;
  for (const WrittenFile& file : written.files) report.bytes_after += file.bytes;
}

bool has_grown(const LoadedModel& loaded, const OptimizeOptions& options, std::uint64_t bytes_before) {
  if (options.allow_growth || options.wants_another_model()) return false;
  return format::encoded_size(loaded.model).total() > bytes_before;
}

// Traces of torch.export often take more bytes than all nodes.
void note_origins(OptimizeReport& report, const OptimizeOptions& options) {
  if (options.strip || options.shrink || report.origin_bytes < std::max<std::uint64_t>(report.bytes_after / 10, 1024))
    return;
  report.remarks.push_back(
      fmt::format("texts in which the exporter says where nodes come from take {:.0f} % of the "
                  "file: option `strip` removes them",
                  100.0 * static_cast<double>(report.origin_bytes) /
                      static_cast<double>(std::max<std::uint64_t>(report.bytes_after, 1))));
}

}  // namespace

OptimizeReport optimize_file(const std::string& input, const std::string& output, const OptimizeOptions& options,
                             const ConvertStreams& streams, const StepListener& after_step) {
  CostMeter cost;
  begin_stage("reading");
  LoadedModel loaded = open_model(input, options.load);
  try {
    // `encoded` is the size as .onnx, so that models read from text or JSON are compared by the same measure.
    const std::uint64_t bytes_before = total_bytes(loaded), encoded = format::encoded_size(loaded.model).total();
    OptimizeReport report = optimize(loaded.model, options, after_step);
    if (options.target == OptimizeTarget::kOrt && !options.shrink && has_grown(loaded, options, encoded)) {
      OptimizeOptions standard = options;  // without the operators of ONNX Runtime, it may be smaller
      standard.target = OptimizeTarget::kStandard;
      loaded = open_model(input, options.load);
      report = optimize(loaded.model, standard, after_step);
    }
    report.file = loaded.name;
    report.output = output;
    report.dry_run = options.dry_run;
    report.bytes_before = bytes_before;
    if (options.shrink) shrink_all_ways(loaded.model, input, options, report);
    report.unchanged = report.steps.empty() && !options.wants_another_model() && !options.shrink;
    if (has_grown(loaded, options, encoded)) forget_changes(report);
    report.bytes_after = report.unchanged ? bytes_before : format::encoded_size(loaded.model).total();
    note_origins(report, options);
    if (!options.dry_run) write(loaded, input, output, options, streams, report);
    cost.fill(report);
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

}  // namespace onnxpress

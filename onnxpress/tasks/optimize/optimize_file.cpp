// From file to file: loads, optimizes, shrinks if requested, and writes, but never a larger file than the input.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/same_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/tasks/files/read_back.h"
#include "onnxpress/tasks/files/write_checked.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/shrink/pipeline.h"
#include "onnxpress/weights/chain/expand_chains.h"

namespace onnxpress::tasks {

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

// Shrinks the model, reads the result back and compares it with the original, as `shrink` does. Returns its size in
// bytes.
std::uint64_t shrink_model(LoadedModel& loaded, const std::string& output, const OptimizeOptions& options) {
  Model before = loaded.model.clone();
  ExtraFiles extra;
  ShrinkOptions how;
  how.freeze = options.freeze;
  how.load = options.load;
  run_pipeline(loaded, output, how, {}, extra);
  Model after = read_back(loaded.model);
  passes::remove_dead(before);
  passes::remove_dead(after);
  compare::require_same_model(before, after);
  return format::encoded_size(loaded.model).total();
}

// Turns weights that nodes decode into plain tensors, for which `shrink` may find a smaller form. False when there are
// none.
bool decode_weights(Model& model, const OptimizeOptions& options) {
  return !options.exact && weights::expand_chains(model).tensors > 0;
}

// Shrinks the optimized model, the optimized model with its weights decoded first, and the original, and keeps the
// smallest result. The original may win, because computed or merged constants can leave fewer tensors to share.
void shrink_all_ways(LoadedModel& loaded, const std::string& input, const std::string& output,
                     const OptimizeOptions& options, OptimizeReport& report) {
  LoadedModel decoded{loaded.model.clone(), loaded.format, loaded.name, loaded.file_bytes};
  std::uint64_t least = shrink_model(loaded, output, options);
  if (decode_weights(decoded.model, options)) {
    const std::uint64_t bytes = shrink_model(decoded, output, options);
    if (bytes < least) loaded = std::move(decoded);
    least = std::min(least, bytes);
  }
  if (options.wants_another_model()) return;  // the original is no alternative then
  LoadedModel plain = load_model(input, options.load);
  if (shrink_model(plain, output, options) >= least) return;
  loaded = std::move(plain);
  forget_changes(report);
  report.unchanged = false;
  report.remarks.emplace_back("shrunk without optimizing: the optimized model would be larger");
}

void write(LoadedModel& loaded, const std::string& input, const std::string& output, const OptimizeOptions& options,
           const ConvertStreams& streams, OptimizeReport& report) {
  ConvertReport written;
  if (report.unchanged) {
    written = convert(input, output, {.load = options.load}, streams);
  } else {
    write_checked(
        loaded, output, options.load, streams, [&](Model& after) { compare::require_same_model(loaded.model, after); },
        written);
  }
  report.files = written.files;
  report.bytes_after = 0;
  for (const WrittenFile& file : written.files) report.bytes_after += file.bytes;
}

}  // namespace

OptimizeReport optimize(const std::string& input, const std::string& output, const OptimizeOptions& options,
                        const ConvertStreams& streams) {
  CostMeter cost;
  begin_stage("reading");
  LoadedModel loaded = load_model(input, options.load);
  try {
    // `encoded` is the size as .onnx, so that models read from text or JSON are compared by the same measure.
    const std::uint64_t bytes_before = total_bytes(loaded), encoded = format::encoded_size(loaded.model).total();
    OptimizeReport report = optimize(loaded.model, options);
    report.file = loaded.name;
    report.output = output;
    report.dry_run = options.dry_run;
    report.bytes_before = bytes_before;
    if (options.shrink) shrink_all_ways(loaded, input, output, options, report);
    report.unchanged = report.steps.empty() && !options.wants_another_model() && !options.shrink;
    const bool must_not_grow = !options.allow_growth && !options.wants_another_model();
    if (must_not_grow && format::encoded_size(loaded.model).total() > encoded) forget_changes(report);
    report.bytes_after = report.unchanged ? bytes_before : format::encoded_size(loaded.model).total();
    if (!options.dry_run) write(loaded, input, output, options, streams, report);
    cost.fill(report);
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

}  // namespace onnxpress::tasks

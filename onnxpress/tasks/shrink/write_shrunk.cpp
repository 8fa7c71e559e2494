// Writes, checks and measures the result of shrink().
#include "onnxpress/tasks/shrink/write_shrunk.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/files/staged_files.h"
#include "onnxpress/tasks/shrink/verify_shrunk.h"

namespace onnxpress::tasks {

namespace fs = std::filesystem;

namespace {

bool has_external(const Model& model) { return !model.external_files.empty(); }

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

void write_name_map(const std::string& path, const std::vector<std::pair<std::string_view, std::string_view>>& names) {
  AtomicFile file(path);
  for (const auto& [fresh, old] : names) file.write(fmt::format("{}\t{}\n", fresh, old));
  file.commit();
}

// Returns what the format of the output cannot hold.
std::vector<std::string> write(LoadedModel& loaded, const std::string& output, const ShrinkOptions& options,
                               const ConvertStreams& streams, ShrinkReport& report) {
  const SaveReport written = save_checked(
      loaded.model, {.output = output, .read_back = false, .load = options.load, .progress = streams.progress});
  report.files = written.files;
  if (written.format == ModelFormat::kOnnx) {
    report.after = {written.files.front().bytes, 0};
    for (std::size_t i = 1; i < written.files.size(); ++i) report.after.external += written.files[i].bytes;
  }
  return written.lost;
}

// For a model that does not get smaller: writes it as it is, byte for byte if both files have the same format.
void copy_unchanged(const std::string& input, const std::string& output, const ShrinkOptions& options,
                    const ConvertStreams& streams, ShrinkReport& report) {
  report.unchanged = true;
  report.after = report.before;
  report.methods.clear();
  report.largest.clear();
  if (report.weights && report.weights->compressed > 0) report.weights.reset();  // the copy has no rounded weights
  begin_stage("copying");
  if (!options.dry_run) report.files = convert(input, output, {.load = options.load}, streams).files;
}

// A result gets its final name after it has been checked. Text and JSON with external data are the exception: copying
// the files that they refer to has rules of its own, so there the model is checked before it is written.
bool is_staged(const LoadedModel& loaded, const std::string& output, const ShrinkOptions& options) {
  return options.dry_run || !has_external(loaded.model) || format_of_name(output) == ModelFormat::kOnnx;
}

// Is it a different model, with other inputs or rounded numbers? Then it is written, whatever its size.
bool is_other_model(const ShrinkOptions& options, const ExtraFiles& extra) {
  const bool rounds_only = options.weights.is_lossy() && options.weights.encoding == WeightEncoding::kSimulate;
  return !extra.extracted.empty() || rounds_only || options.weights.wants_dynamic() || options.weights.is_static;
}

void write_changed(LoadedModel& loaded, const std::string& input, const std::string& output,
                   const ShrinkOptions& options, const ConvertStreams& streams, const ExtraFiles& extra,
                   ShrinkReport& report) {
  if (options.dry_run && !options.verify) return;
  const bool extracts = !extra.extracted.empty();
  std::optional<StagedFiles> staged;
  if (is_staged(loaded, output, options))
    staged.emplace(output, options.dry_run);
  else
    check_structure(loaded, load_model(input, options.load).model, options, report);
  const std::string target = staged ? staged->path_of(output) : output;
  std::vector<WrittenFile> files;
  std::vector<std::string> lost;
  try {
    if (extracts) files = write_extracted(loaded.model, extra.extracted, report.extracted, target);
    lost = write(loaded, target, options, streams, report);
  } catch (const Error& error) {
    throw staged ? staged->about_target(error) : error;
  }
  // Alignment can make external data larger than it was.
  if (!is_other_model(options, extra) && report.after.total() >= report.before.total()) {
    for (std::size_t i = 1; !staged && i < report.files.size(); ++i) fs::remove(report.files[i].path);
    report.files.clear();
    return copy_unchanged(input, output, options, streams, report);
  }
  report.files.insert(report.files.end(), files.begin(), files.end());
  const ShrunkFile file{loaded, input, target};
  if (staged && lost.empty()) check_structure(file, options, report);
  if (options.verify) compare_outputs(file, options, extra.extracted, report);
  if (options.dry_run) return report.files.clear();
  if (staged) staged->move_into_place(report.files);
  for (WrittenFile& file : report.files) file.path = staged ? staged->final_path_of(file.path) : file.path;
  if (!options.name_map.empty()) write_name_map(options.name_map, extra.names);
}

}  // namespace

void write_shrunk(LoadedModel& loaded, const std::string& input, const std::string& output,
                  const ShrinkOptions& options, const ConvertStreams& streams, const ExtraFiles& extra,
                  ShrinkReport& report) {
  if (is_other_model(options, extra) || report.after.total() < report.before.total()) {
    write_changed(loaded, input, output, options, streams, extra, report);
  } else {
    copy_unchanged(input, output, options, streams, report);
  }
  if (report.unchanged && options.verify && !options.dry_run)
    compare_outputs({loaded, input, output}, options, {}, report);
}

void add_compressed_sizes(const LoadedModel& loaded, ShrinkReport& report,
                          const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  std::vector<std::string> before, after;
  if (report.file != "standard input") before.push_back(report.file);
  for (const auto& file : loaded.model.external_files) before.push_back(file->path().string());
  for (const WrittenFile& file : report.files) {
    if (file.path != "-") after.push_back(file.path);
  }
  begin_stage("measuring the compressed size of the original");
  if (!before.empty()) report.compressed_before = compressed_sizes(before, progress);
  begin_stage("measuring the compressed size of the result");
  if (!after.empty()) report.compressed_after = compressed_sizes(after, progress);
}

void add_download(const ShrinkOptions& shrink_options, ShrinkReport& report,
                  const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const CompressOptions options = options_for(shrink_options.target, shrink_options.weights);
  const auto compressor = options.max_download ? options.max_download->compressor
                                               : compressor_of(options.optimize_for.value_or(OptimizeFor::kFile));
  std::vector<std::string> files;
  for (const WrittenFile& file : report.files) {
    if (file.path != "-") files.push_back(file.path);
  }
  // A target may choose a compressor, too; without rounded weights, only the option itself asks for the size.
  const bool is_asked = options.is_lossy() || shrink_options.weights.optimize_for;
  if (!is_asked || !compressor || files.empty() || !can_compress()) return;
  begin_stage("measuring the compressed size of the result");
  report.download = compressed_size(files, *compressor, progress);
}

}  // namespace onnxpress::tasks

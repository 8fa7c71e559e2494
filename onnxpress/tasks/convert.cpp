// Loads, repairs, strips and writes, and remembers what the output could not take.
#include "onnxpress/tasks/convert.h"

#include <fmt/format.h>

#include <set>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/external_files.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/text/elided_stream.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress::tasks {

namespace fs = std::filesystem;

namespace {

// The reader sorts nodes in memory only, so that an untouched file stays as it is. Where the order is no longer that of
// the file, the graph is marked to be written as it is now.
std::uint64_t keep_sorted(Model& model) {
  std::uint64_t repaired = 0;
  for_each_graph(model, [&repaired](Graph& graph) {
    const char* previous = nullptr;
    for (const Node& node : graph.nodes()) {
      if (node.origin().data() < previous) {
        graph.mark_changed();
        ++repaired;
        return;
      }
      previous = node.origin().data();
    }
  });
  return repaired;
}

// The same that ONNX Runtime does: version 1 for a domain that is used but not imported.
std::uint64_t import_missing_opsets(Model& model) {
  std::set<std::string_view> imported, missing;
  for (const OpsetImport& import : model.opsets) imported.insert(normal_domain(import.domain));
  for_each_graph(model.graph(), [&](Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (!imported.contains(normal_domain(node.domain()))) missing.insert(normal_domain(node.domain()));
    }
  });
  for (const std::string_view domain : missing) model.opsets.push_back({domain, 1, {}});
  if (!missing.empty()) model.mark_changed();
  return missing.size();
}

// Tensors that a text left out read as zeros.
void note_elided(const Model& model, ConvertReport& report) {
  std::uint64_t count = 0;
  for_each_tensor(
      model, [&count](const Tensor& tensor, const TensorPlace&) { count += text::elided_content(tensor) ? 1 : 0; });
  if (count == 0) return;
  report.lost.push_back(fmt::format("{} left out of the input text: the output has zeros there",
                                    count == 1 ? "1 tensor was" : fmt::format("{} tensors were", count)));
}

void take_weights_inside(Model& model) {
  for_each_tensor(model, [](Tensor& tensor, const TensorPlace& place) {
    if (!std::holds_alternative<FileRange>(tensor.content)) return;
    tensor.content = tensor.bytes();
    tensor.storage = Storage::kMade;
    tensor.external_entries = {};
    tensor.changed = true;
    if (place.value) place.graph->mark_changed(*place.value);
    if (place.node) place.graph->mark_changed(*place.node, *place.attribute);
  });
}

// Where text and JSON go: a file that appears whole, or standard output.
class TextOutput {
 public:
  TextOutput(const std::string& path, const ConvertStreams& streams) : path_(path), streams_(streams) {
    if (path != "-") file_.emplace(path);
  }
  void write(std::string_view text) {
    bytes_ += text.size();
    file_ ? file_->write(text) : streams_.standard_output(text);
  }
  WrittenFile finish() {
    if (file_) file_->commit();
    return {path_, bytes_};
  }

 private:
  std::string path_;
  const ConvertStreams& streams_;
  std::optional<AtomicFile> file_;
  std::uint64_t bytes_ = 0;
};

// Text and JSON name external files as .onnx does, so these must be beside them, too.
void copy_external_along(const LoadedModel& loaded, const std::string& output, const ConvertOptions& options,
                         ConvertReport& report) {
  if (loaded.model.external_files.empty() || options.weights.single_file) return;
  const fs::path folder = fs::path(output).parent_path(), from = loaded.model.path.parent_path();
  std::error_code ignored;
  if (output == "-" || fs::equivalent(folder.empty() ? "." : folder, from.empty() ? "." : from, ignored)) return;
  for (const fs::path& copied : format::copy_external_files(loaded.model, folder, options.weights.overwrite_external)) {
    report.files.push_back({copied.lexically_normal().string(), fs::file_size(copied, ignored)});
  }
}

void write_text(LoadedModel& loaded, const std::string& output, const ConvertOptions& options,
                const ConvertStreams& streams, ConvertReport& report) {
  text::PrintOptions print_options;
  if (options.elide) print_options.elide_above = *options.elide;
  std::vector<std::string> lost;
  const std::string text = text::print_model(loaded.model, print_options, &lost);
  report.lost.insert(report.lost.end(), lost.begin(), lost.end());
  TextOutput out(output, streams);
  out.write(text);
  report.files.push_back(out.finish());
}

void write_json(LoadedModel& loaded, const std::string& output, const ConvertOptions& options,
                const ConvertStreams& streams, ConvertReport& report) {
  std::string encoded;
  std::string_view message = loaded.model.origin.view();
  if (loaded.model.changed() || options.encode_anew) {
    encoded = format::encode_model(loaded.model, options.encode_anew);
    message = encoded;
  }
  TextOutput out(output, streams);
  const format::JsonLosses losses =
      format::write_json(message, {}, [&out](std::string_view piece) { out.write(piece); });
  if (losses.unknown_fields > 0) {
    report.lost.push_back(
        fmt::format("{} unknown to ONNX 1.23, the first being {}",
                    losses.unknown_fields == 1 ? "1 field" : fmt::format("{} fields", losses.unknown_fields),
                    losses.first_unknown_field));
  }
  if (losses.nan_payloads > 0)
    report.lost.push_back(fmt::format("the exact bits of {} NaNs in float fields", losses.nan_payloads));
  report.files.push_back(out.finish());
}

void write_onnx_stream(LoadedModel& loaded, const ConvertOptions& options, const ConvertStreams& streams,
                       ConvertReport& report) {
  const bool unchanged = !loaded.model.changed() && !options.encode_anew;
  const std::string encoded = unchanged ? std::string() : format::encode_model(loaded.model, options.encode_anew);
  const std::string_view message = unchanged ? loaded.model.origin.view() : std::string_view(encoded);
  if (message.size() > format::kMaxMessageBytes) {
    throw Error(
        "",
        fmt::format("the model takes {} bytes; protobuf readers stop at {}", message.size(), format::kMaxMessageBytes),
        "write to a file: weights then move beside it");
  }
  streams.standard_output(message);
  report.files.push_back({"-", message.size()});
}

void write_onnx(LoadedModel& loaded, const std::string& output, const ConvertOptions& options,
                const ConvertStreams& streams, ConvertReport& report) {
  if (output == "-") return write_onnx_stream(loaded, options, streams, report);
  format::WriteOptions write_options;
  using Weights = format::WriteOptions::Weights;
  const WeightOptions& weights = options.weights;
  if (weights.external_data) write_options.weights = Weights::kExternal;
  if (weights.single_file) write_options.weights = Weights::kSingleFile;
  write_options.external_name = weights.external_data.value_or("");
  write_options.external_threshold = weights.external_threshold;
  write_options.external_attributes = weights.external_attributes;
  write_options.overwrite_external = weights.overwrite_external;
  write_options.encode_anew = options.encode_anew;
  write_options.progress = streams.progress;
  const format::WriteReport written = format::write_model(loaded.model, output, write_options);
  report.moved_to_external = written.moved_to_external;
  for (const fs::path& path : written.files) {
    std::error_code ignored;
    report.files.push_back({path.lexically_normal().string(), fs::file_size(path, ignored)});
  }
}

}  // namespace

std::optional<ModelFormat> output_format(const std::string& output, const ConvertOptions& options) {
  return options.to ? options.to : output == "-" ? std::nullopt : format_of_name(output);
}

void write_converted(LoadedModel& loaded, const std::string& output, const ConvertOptions& options,
                     const ConvertStreams& streams, ConvertReport& report) {
  const auto to = output_format(output, options);
  if (!to) {
    throw Error("", fmt::format("{} does not say which form the output shall have", quote_name(output)),
                "say --to onnx, text or json");
  }
  report.output = output;
  report.from = loaded.format;
  report.to = *to;
  report.input_bytes = loaded.file_bytes;
  if (*to != ModelFormat::kText) note_elided(loaded.model, report);
  const bool in_file = *to == ModelFormat::kOnnx && output != "-";
  try {
    if (options.weights.single_file && !in_file) take_weights_inside(loaded.model);
    if (*to == ModelFormat::kOnnx) write_onnx(loaded, output, options, streams, report);
    if (*to == ModelFormat::kText) write_text(loaded, output, options, streams, report);
    if (*to == ModelFormat::kJson) write_json(loaded, output, options, streams, report);
    if (!in_file) copy_external_along(loaded, output, options, report);
  } catch (Error& error) {
    error.set_file(loaded.name);  // what is wrong with the output says so already
    throw;
  }
}

ConvertReport convert(const std::string& input, const std::string& output, const ConvertOptions& options,
                      const ConvertStreams& streams) {
  LoadedModel loaded = load_model(input, options.load);
  ConvertReport report;
  report.input = input;
  if (options.repair) report.repairs = keep_sorted(loaded.model) + import_missing_opsets(loaded.model);
  report.stripped = strip(loaded.model, options.strip);
  write_converted(loaded, output, options, streams, report);
  return report;
}

std::string to_json(const ConvertReport& report) { return text_of(json_of(report)); }

}  // namespace onnxpress::tasks

// Loads, repairs, strips and writes a model, and records what the output could not hold.
#include "onnxpress/tasks/files/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/format/external_files.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/sort_nodes.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/files/shape_tensors.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/text/elided_stream.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress::tasks {

namespace fs = std::filesystem;

namespace {

// Marks sorted graphs as changed, so that they are written in their new order and not copied from the file.
std::uint64_t keep_sorted(Model& model) {
  std::uint64_t repaired = 0;
  for_each_graph(model, [&repaired](Graph& graph) {
    if (is_in_order_of_file(graph)) return;
    graph.mark_changed();
    ++repaired;
  });
  return repaired;
}

// Counts the graphs whose nodes are written in another order than in the input.
std::uint64_t count_sorted(const LoadedModel& loaded, ModelFormat to, const ConvertOptions& options) {
  const auto is_order = [](const Note& note) { return note.code == "node-order"; };
  if (loaded.format == ModelFormat::kText) {
    return static_cast<std::uint64_t>(std::count_if(loaded.model.notes.begin(), loaded.model.notes.end(), is_order));
  }
  std::uint64_t sorted = 0;
  for_each_graph(loaded.model, [&](const Graph& graph) {
    const bool rewritten = to == ModelFormat::kText || options.encode_anew || graph.changed();
    if (rewritten && !is_in_order_of_file(graph)) ++sorted;
  });
  return sorted;
}

// Imports version 1 of every domain that is used but not imported, as ONNX Runtime does.
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

// Tensors that are elided in a text are read as zeros.
void note_elided(const Model& model, ConvertReport& report) {
  std::uint64_t count = 0;
  for_each_tensor(
      model, [&count](const Tensor& tensor, const TensorPlace&) { count += text::elided_content(tensor) ? 1 : 0; });
  if (count == 0) return;
  report.lost.push_back(fmt::format("{} elided in the input text; the output has zeros there",
                                    count == 1 ? "1 tensor was" : fmt::format("{} tensors were", count)));
}

// If a file repeats a field, the last occurrence counts, as protobuf requires.
void note_repeated(const Model& model, ConvertReport& report) {
  for (const Note& note : model.notes) {
    if (note.code == "repeated-value") report.lost.push_back(fmt::format("{}: {}", note.where, note.message));
  }
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

// The destination of text and JSON: standard output, or a file that only appears once it is complete.
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

// Text and JSON refer to external files as .onnx does, so the files must be next to them, too. Empty when nothing has
// to be copied.
std::optional<format::ExternalCopies> copies_beside(const LoadedModel& loaded, const std::string& output,
                                                    const ConvertOptions& options) {
  if (loaded.model.external_files.empty() || options.weights.single_file) return std::nullopt;
  const fs::path folder = fs::path(output).parent_path(), from = loaded.model.path.parent_path();
  std::error_code ignored;
  if (output == "-" || fs::equivalent(folder.empty() ? "." : folder, from.empty() ? "." : from, ignored))
    return std::nullopt;
  return std::optional<format::ExternalCopies>(std::in_place, loaded.model, folder, options.weights.overwrite_external);
}

// Does everything that can fail first; then the external files get their final names, and the text gets its name last.
void finish(TextOutput& out, const LoadedModel& loaded, const std::string& output, const ConvertOptions& options,
            ConvertReport& report) {
  std::optional<format::ExternalCopies> copies = copies_beside(loaded, output, options);
  if (copies) copies->commit();
  report.files.push_back(out.finish());
  if (!copies) return;
  for (const format::ExternalCopies::Copy& copy : copies->copies())
    report.files.push_back({copy.path.lexically_normal().string(), copy.bytes});
}

void write_text(LoadedModel& loaded, const std::string& output, const ConvertOptions& options,
                const ConvertStreams& streams, ConvertReport& report) {
  require_clear_names_if_changed(loaded.model);
  text::PrintOptions print_options;
  if (options.elide) print_options.elide_above = *options.elide;
  std::vector<std::string> lost;
  TextOutput out(output, streams);
  text::print_model(
      loaded.model, [&out](std::string_view piece) { out.write(piece); }, print_options, &lost);
  report.lost.insert(report.lost.end(), lost.begin(), lost.end());
  finish(out, loaded, output, options, report);
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
        fmt::format("{} unknown to ONNX 1.23, first {}",
                    losses.unknown_fields == 1 ? "1 field" : fmt::format("{} fields", losses.unknown_fields),
                    losses.first_unknown_field));
  }
  if (losses.nan_payloads > 0)
    report.lost.push_back(fmt::format("the exact bits of {} NaNs in float fields", losses.nan_payloads));
  finish(out, loaded, output, options, report);
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
        "write to a file, so that weights can move to an external file");
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
  const ShapeTensors shape_tensors(loaded.model);
  write_options.stays_inside = [&shape_tensors](const Tensor& tensor, const TensorPlace& place) {
    return shape_tensors.contains(tensor, place);
  };
  const format::WriteReport written = format::write_model(loaded.model, output, write_options);
  report.moved_to_external = written.moved_to_external;
  report.kept_inside = written.kept_inside;
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
    throw Error("", fmt::format("cannot tell the form of the output from {}", quote_name(output)),
                "set option `to`: onnx, text or json");
  }
  begin_stage("writing");
  report.output = output;
  report.from = loaded.format;
  report.to = *to;
  report.input_bytes = loaded.file_bytes;
  if (*to != ModelFormat::kText) note_elided(loaded.model, report);
  if (*to == ModelFormat::kText || options.encode_anew) note_repeated(loaded.model, report);
  report.sorted_graphs = count_sorted(loaded, *to, options);
  const bool in_file = *to == ModelFormat::kOnnx && output != "-";
  try {
    if (options.weights.single_file && !in_file) take_weights_inside(loaded.model);
    if (*to == ModelFormat::kOnnx) write_onnx(loaded, output, options, streams, report);
    if (*to == ModelFormat::kText) write_text(loaded, output, options, streams, report);
    if (*to == ModelFormat::kJson) write_json(loaded, output, options, streams, report);
  } catch (Error& error) {
    error.set_file(loaded.name);  // errors about the output name it already
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

std::string to_json(const ConvertReport& report) { return json_text(report); }

}  // namespace onnxpress::tasks

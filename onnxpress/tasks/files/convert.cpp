// Loads, repairs, strips and saves a model.
#include "onnxpress/tasks/files/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "onnxpress/base/option_error.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/sort_nodes.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/files/complete_header.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

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
std::uint64_t count_sorted(const Model& model, ModelForm from, ModelForm to, const ConvertOptions& options) {
  const auto is_order = [](const Note& note) { return note.code == "node-order"; };
  if (from == ModelForm::kText)
    return static_cast<std::uint64_t>(std::count_if(model.notes.begin(), model.notes.end(), is_order));
  std::uint64_t sorted = 0;
  for_each_graph(model, [&](const Graph& graph) {
    const bool rewritten = to == ModelForm::kText || options.encode_anew || graph.changed();
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

SaveRequest request_of(const std::string& output, const ConvertOptions& options, const ConvertStreams& streams) {
  const WeightOptions& weights = options.weights;
  SaveRequest request{.output = output, .weights = Placement::kKeep, .read_back = false, .load = options.load};
  if (weights.external_data) request.weights = Placement::kExternal;
  if (weights.single_file) request.weights = Placement::kSingleFile;
  request.form.format = options.to;
  request.form.external_name = weights.external_data.value_or("");
  request.form.external_threshold = weights.external_threshold;
  request.form.external_attributes = weights.external_attributes;
  request.form.overwrite_external = weights.overwrite_external;
  request.form.encode_anew = options.encode_anew;
  request.form.elide_above = options.elide;
  request.progress = streams.progress;
  request.standard_output = streams.standard_output;
  return request;
}

void save(Model& model, ModelForm from, const std::string& output, const ConvertOptions& options,
          const ConvertStreams& streams, ConvertReport& report) {
  const ModelForm to = output_format(output, options).value_or(ModelForm::kOnnx);
  report.output = output;
  report.from = from;
  report.sorted_graphs = count_sorted(model, from, to, options);
  SaveReport saved = save_checked(model, request_of(output, options, streams));
  report.to = saved.format;
  report.files = std::move(saved.files);
  report.kept_inside = saved.kept_inside;
  report.moved_to_external = saved.moved_to_external;
  report.lost = std::move(saved.lost);
}

}  // namespace

std::optional<ModelForm> output_format(const std::string& output, const ConvertOptions& options) {
  return format_of_output(output, {.format = options.to});
}

void require_sense(const std::string& output, const ConvertOptions& options) {
  const auto to = output_format(output, options);
  if (!to)
    throw OptionError(fmt::format("cannot tell the form of the output from the name {}", quote_name(output)),
                      "use a name that ends in .onnx, .onnxtxt or .json, or set option `to`: onnx, text or json");
  const bool external = options.weights.external_data.has_value();
  if (external && options.weights.single_file)
    throw OptionError("option `external_data` and option `single_file` cannot be combined");
  if (external && (*to != ModelForm::kOnnx || output == "-"))
    throw OptionError("option `external_data` needs an .onnx file as output");
  if (options.elide && *to != ModelForm::kText)
    throw OptionError("option `elide` is for text output", "add option `to=text`");
}

ConvertReport convert(const std::string& input, const std::string& output, const ConvertOptions& options,
                      const ConvertStreams& streams) {
  require_sense(output, options);
  LoadedModel loaded = open_model(input, options.load);
  ConvertReport report;
  report.input = input;
  report.input_bytes = loaded.file_bytes;
  try {
    if (options.repair) report.repairs = keep_sorted(loaded.model) + import_missing_opsets(loaded.model);
    const ModelForm to = output_format(output, options).value_or(ModelForm::kOnnx);
    if (loaded.format == ModelForm::kText && to != ModelForm::kText) report.header = complete_header(loaded.model);
    report.stripped = strip(loaded.model, options.strip);
    save(loaded.model, loaded.format, output, options, streams, report);
  } catch (Error& error) {
    error.set_file(loaded.name);  // errors about the output name it already
    throw;
  }
  return report;
}

ConvertReport save_as(Model& model, const std::string& output, const ConvertOptions& options,
                      const ConvertStreams& streams) {
  require_sense(output, options);
  ConvertReport report;
  report.input_bytes = format::encoded_size(model).message;
  const StripOptions& parts = options.strip;
  std::optional<Model> changed;
  if (options.repair || parts.strip_names || parts.strip_docs || parts.strip_metadata || parts.strip_value_info) {
    changed = model.clone();
    if (options.repair) report.repairs = keep_sorted(*changed) + import_missing_opsets(*changed);
    report.stripped = strip(*changed, parts);
  }
  try {
    save(changed ? *changed : model, ModelForm::kOnnx, output, options, streams, report);
  } catch (Error& error) {
    error.set_file(model.path.string());
    throw;
  }
  return report;
}

std::string to_json(const ConvertReport& report) { return json_text(report); }

}  // namespace onnxpress

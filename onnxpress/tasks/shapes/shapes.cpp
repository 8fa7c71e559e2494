// From facts to the engine.
#include "onnxpress/tasks/shapes/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "onnxpress/analysis/liveness.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/identifier.h"
#include "onnxpress/tasks/edit/extract.h"
#include "onnxpress/tasks/edit/write_result.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/shapes/program.h"

namespace onnxpress::tasks {

namespace {

class Builder {
 public:
  Builder(Model& model, const analysis::Facts& facts, ShapesReport& report)
      : model_(model), facts_(facts), report_(report), program_(facts.dims()) {}

  void build() {
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (!input->value->initializer()) add(*input->value);
    }
    input_symbols_ = program_.symbols().size();
    for (const Node& node : model_.graph().nodes()) {
      for (const Value* output : node.outputs()) {
        if (output && !facts_.of(*output).is_constant) add(*output);
      }
    }
    find_operands();
    write_program();
  }

  // Names of values that the compute graph gets from the engine.
  std::vector<std::string> operand_names() const {
    std::vector<std::string> names;
    for (const EngineValue& each : report_.operands) names.push_back(each.name);
    return names;
  }

 private:
  EngineValue value_of(const Value& value, const std::vector<Dim>& dims) {
    const ElementType element = facts_.of(value).element;
    EngineValue made;
    made.name = value.name();
    made.type = to_string(element);
    made.element_bits = bits_of(element);
    for (const Dim dim : dims) {
      const std::uint32_t step = program_.add(dim);
      made.dims.push_back(step == Program::kUnknown ? -1 : static_cast<std::int64_t>(step));
      made.text += (made.text.empty() ? "" : ",") + to_string(dim);
    }
    return made;
  }

  void add(const Value& value) {
    const auto shape = facts_.shape_of(value);
    if (!facts_.of(value).is_tensor() || !shape) {
      ++report_.unknown;
      return;
    }
    const std::size_t before = program_.symbols().size();
    report_.values.push_back(value_of(value, *shape));
    from_.resize(program_.symbols().size());
    for (std::size_t i = before; i < from_.size(); ++i) from_[i] = value.name();
    const auto& dims = report_.values.back().dims;
    report_.unknown += std::ranges::find(dims, -1) != dims.end();
  }

  // All elements are known as expressions, and not the same in every run.
  bool is_computed_shape(const Value& value) const {
    const ops::Fact& fact = facts_.of(value);
    if (!fact.elements || fact.is_constant || !value.producer()) return false;
    return std::ranges::none_of(*fact.elements, [](Dim dim) { return dim.is_unknown(); });
  }

  // What a node that computes more than shapes reads of those.
  void find_operands() {
    std::vector<const Value*> found;
    for (const Node& node : model_.graph().nodes()) {
      const bool only_shapes = std::ranges::all_of(node.outputs(), [&](const Value* value) {
        return !value || is_computed_shape(*value) || facts_.of(*value).is_constant;
      });
      if (only_shapes) continue;
      for (const Use& use : node.inputs()) {
        const Value* value = use.value();
        if (!value || value->graph() != &model_.graph() || !is_computed_shape(*value)) continue;
        if (std::ranges::find(found, value) == found.end()) found.push_back(value);
      }
    }
    for (const Value* value : found) {
      std::vector<Dim> elements;
      for (const Dim dim : *facts_.of(*value).elements) elements.push_back(facts_.dims().resolve(dim));
      EngineValue made = value_of(*value, elements);
      if (std::ranges::find(made.dims, -1) == made.dims.end()) report_.operands.push_back(std::move(made));
    }
  }

  void write_program() {
    for (std::size_t i = 0; i < program_.symbols().size(); ++i) {
      report_.symbols.push_back(
          {std::string(program_.symbols()[i]->name), i < from_.size() ? from_[i] : std::string(), i < input_symbols_});
    }
    for (const Program::Step& each : program_.steps()) {
      const bool leaf = each.kind == Program::Kind::kNumber || each.kind == Program::Kind::kSymbol;
      report_.steps.push_back({std::string(name_of(each.kind)), leaf ? each.number : static_cast<std::int64_t>(each.a),
                               leaf ? 0 : static_cast<std::int64_t>(each.b)});
    }
  }

  Model& model_;
  const analysis::Facts& facts_;
  ShapesReport& report_;
  Program program_;
  std::size_t input_symbols_ = 0;
  std::vector<std::string> from_;  // by symbol
};

// When each value lives, counted in nodes of the compute graph.
void find_lifetimes(const Graph& graph, ShapesReport& report) {
  const analysis::Liveness liveness(graph);
  std::unordered_map<std::string_view, const Value*> values;
  for (const ValueInfo* input : graph.inputs()) values.emplace(input->value->name(), input->value);
  for (const Node& node : graph.nodes()) {
    for (const Value* output : node.outputs()) {
      if (output) values.emplace(output->name(), output);
    }
  }
  for (EngineValue& each : report.values) {
    const auto found = values.find(each.name);
    const auto lifetime = found == values.end() ? std::nullopt : liveness.of(*found->second);
    if (!lifetime) continue;
    each.first = lifetime->made == analysis::Lifetime::kBefore ? 0 : static_cast<std::int64_t>(lifetime->made);
    each.last = std::max(each.first, static_cast<std::int64_t>(lifetime->last_use));
  }
}

void write_text(const std::string& path, const std::string& text, ShapesReport& report) {
  AtomicFile file{std::filesystem::path(path)};
  file.write(text);
  file.commit();
  report.files.push_back({path, text.size()});
}

}  // namespace

ShapesReport shapes(Model& model, const ShapesOptions& options, Model& compute_graph) {
  if (!is_identifier(options.name))
    throw Error("", fmt::format("{} cannot be the name of a struct", quote_name(options.name)));
  ShapesReport report;
  std::vector<std::string> operands;
  {
    const analysis::Facts facts(model, settings_of(options.bindings, model));
    require_fitting(facts, model);
    Builder builder(model, facts, report);
    builder.build();
    operands = builder.operand_names();
  }
  ExtractOptions part;
  for (const ValueInfo* input : inputs_to_give(model)) part.inputs.emplace_back(input->value->name());
  part.inputs.insert(part.inputs.end(), operands.begin(), operands.end());
  ExtractReport made;
  compute_graph = extract(model, part, made);
  report.removed_nodes = made.of_nodes - made.nodes;
  find_lifetimes(compute_graph.graph(), report);
  return report;
}

ShapesReport shapes(const std::string& input, const std::string& output, const ShapesOptions& options) {
  LoadedModel loaded = load_model(input, options.load);
  LoadedModel graph{Model(), loaded.format, loaded.name, loaded.file_bytes};
  ShapesReport report;
  try {
    report = shapes(loaded.model, options, graph.model);
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
  report.file = loaded.name;
  const std::string json = to_json(report);
  std::vector<WrittenFile> written = write_result(graph, output + ".onnx", options.load, {});
  write_text(output + ".h", header_of(report, options.name), report);
  write_text(output + ".json", json, report);
  report.files.insert(report.files.end(), written.begin(), written.end());
  return report;
}

std::string to_json(const ShapesReport& report) { return json_text(report); }

}  // namespace onnxpress::tasks

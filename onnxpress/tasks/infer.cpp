// Reads the options, asks the facts, writes value_info.
#include "onnxpress/tasks/infer.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/json_report.h"

namespace onnxpress::tasks {

using analysis::Facts;
using ops::Fact;

namespace {

// --- Options

// "x=1x3" -> x and 1x3. Names may hold '=', values do not.
std::pair<std::string, std::string> split_binding(std::string_view option, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error("", fmt::format("--{} {} does not have the form NAME=VALUE", option, quote_name(text)),
                option == "dim" ? "write --dim batch=8" : "write --shape x=1x3x224x224");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t size_in(std::string_view option, std::string_view text) {
  const auto size = number_in(text);
  if (size && *size >= 0 && Dim::fits(*size)) return *size;
  throw Error("", fmt::format("--{}: {} is not a size", option, quote_name(text)), "sizes are whole numbers from 0");
}

// "1x3x224", "batch,3,H" or "" for a scalar. With commas, words are symbols.
std::vector<Dim> shape_in(std::string_view text, Context& context) {
  std::vector<Dim> shape;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const bool commas = text.find(',') != std::string_view::npos;
  const bool sizes = text.find_first_not_of("0123456789x") == std::string_view::npos;
  for (const std::string_view part : split(text, commas || !sizes ? ',' : 'x')) {
    const auto size = number_in(part);
    shape.push_back(size || part.empty() ? Dim::size(size_in("shape", part)) : Dim::symbol(context.symbol(part)));
  }
  return shape;
}

const ValueInfo* input_named(const Model& model, std::string_view name) {
  for (const ValueInfo* input : model.graph().inputs()) {
    if (input->value->name() == name) return input;
  }
  return nullptr;
}

// "640,640" or "3": whole numbers of the input's type (int64 when it has none).
ops::Array value_in(std::string_view name, std::string_view text, const Model& model) {
  std::vector<std::int64_t> numbers;
  const bool list = text.find(',') != std::string_view::npos || text.starts_with('[');
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  for (const std::string_view part : split(text, ',')) {
    const auto number = number_in(part);
    if (!number)
      throw Error("", fmt::format("--value {}: {} is not a whole number", quote_name(name), quote_name(part)), "");
    numbers.push_back(*number);
  }
  const ValueInfo* input = input_named(model, name);
  const Type* type = input ? input->type : nullptr;
  const ElementType element = type && type->is_tensor() ? type->element : ElementType::kInt64;
  const bool scalar = !list && numbers.size() == 1 && !(type && type->has_shape && type->dims.size() == 1);
  ops::Array made =
      ops::Array::make(element, scalar ? ops::Sizes{} : ops::Sizes{static_cast<std::int64_t>(numbers.size())});
  const bool known = ops::dispatch(ops::NumberTypes(), element, [&]<typename T>() {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      made.mutable_data<T>()[i] = static_cast<T>(static_cast<ops::Computed<T>>(numbers[i]));
  });
  if (!known) {
    throw Error(
        "", fmt::format("--value {}: an input of type {} cannot be given so", quote_name(name), name_of(element)), "");
  }
  return made;
}

analysis::FactSettings settings_of(const InferOptions& options, Model& model) {
  analysis::FactSettings settings;
  settings.trust_value_info = options.trust_value_info;
  for (const std::string& text : options.shape) {
    const auto [name, shape] = split_binding("shape", text);
    settings.shapes.emplace_back(name, shape_in(shape, model.context()));
  }
  for (const std::string& text : options.dim) {
    const auto [name, size] = split_binding("dim", text);
    settings.dims.emplace_back(name, size_in("dim", size));
  }
  for (const std::string& text : options.value) {
    const auto [name, value] = split_binding("value", text);
    settings.values.emplace_back(name, value_in(name, value, model));
  }
  return settings;
}

void require_fitting(const Facts& facts, const Model& model) {
  if (facts.refused().empty()) return;
  std::string inputs;
  for (const ValueInfo* input : model.graph().inputs()) {
    inputs += fmt::format("{}{}: {}", inputs.empty() ? "" : "; ", plain_or_quoted(input->value->name()),
                          to_string(input->type));
  }
  throw Error("", facts.refused().front(), fmt::format("the inputs are {}", inputs));
}

// --- The report

Fact shown_fact(const Facts& facts, const Value& value) {
  Fact fact = facts.of(value);
  fact.shape = facts.shape_of(value);
  return fact;
}

ValueLine line_of(const Facts& facts, const Value& value) {
  return {std::string(value.name()), analysis::to_string(shown_fact(facts, value)), facts.is_complete(value)};
}

void count(const Facts& facts, const Value& value, InferReport& report) {
  const Fact fact = shown_fact(facts, value);
  ++report.values;
  report.with_rank += fact.shape || (fact.kind != Fact::Kind::kUnknown && !fact.is_tensor());
  report.complete += facts.is_complete(value);
  report.with_sizes += fact.sizes().has_value();
  report.constant += fact.is_constant;
}

InferReport report_of(const Facts& facts, const Model& model, const InferOptions& options) {
  InferReport report;
  for (const ValueInfo* input : model.graph().inputs()) report.inputs.push_back(line_of(facts, *input->value));
  for (const ValueInfo* output : model.graph().outputs()) report.outputs.push_back(line_of(facts, *output->value));
  for_each_graph(model.graph(), [&](Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (!output) continue;
        count(facts, *output, report);
        if (options.all) report.all.push_back(line_of(facts, *output));
      }
    }
  });
  for (const analysis::Loss& loss : facts.losses()) {
    if (report.losses.size() == options.limit) {
      ++report.losses_left_out;
      continue;
    }
    report.losses.push_back(
        {std::string(loss.value->name()), std::string(loss.node->name()), std::string(loss.node->op_type()), loss.why});
  }
  for (const analysis::Contradiction& each : facts.contradictions()) {
    report.contradictions.push_back({std::string(each.value->name()), each.declared, each.inferred});
  }
  return report;
}

// --- Types in the file

const Type* type_of(const Fact& fact, Arena& arena) {
  if (fact.kind == Fact::Kind::kUnknown || fact.kind == Fact::Kind::kOther || fact.kind == Fact::Kind::kMap)
    return nullptr;
  auto* type = arena.make<Type>();
  if (fact.is_tensor()) {
    if (fact.element == ElementType::kUndefined) return nullptr;
    type->kind = Type::Kind::kTensor;
    type->element = fact.element;
    type->has_shape = fact.shape.has_value();
    if (fact.shape) type->dims = arena.copy(std::span<const Dim>(*fact.shape));
    return type;
  }
  type->kind = fact.kind == Fact::Kind::kSequence ? Type::Kind::kSequence : Type::Kind::kOptional;
  type->inner = fact.inner ? type_of(*fact.inner, arena) : nullptr;
  return type->inner ? type : nullptr;
}

// Does the inferred type say more than the declared one, or otherwise?
bool differs(const Type* declared, const Type* inferred) { return inferred && !same_type(declared, inferred); }

void declare_values(Graph& graph, const Facts& facts) {
  Arena& arena = graph.context().arena;
  std::unordered_map<const Value*, ValueInfo*> declared;
  for (ValueInfo* info : graph.value_infos()) declared.emplace(info->value, info);
  for (const Node& node : graph.nodes()) {
    for (Value* output : node.outputs()) {
      if (!output || output->is_output()) continue;
      const Type* type = type_of(shown_fact(facts, *output), arena);
      if (!type) continue;
      if (const auto found = declared.find(output); found != declared.end()) {
        if (differs(found->second->type, type)) graph.set_type(*found->second, type);
      } else {
        graph.add_value_info(output, type);
      }
    }
  }
}

// The interface stays as it is, but for what the user asked for and for what the file left open.
void declare_interface(Graph& graph, const Facts& facts, const InferOptions& options) {
  const bool bound = !options.shape.empty() || !options.dim.empty() || !options.value.empty();
  for (ValueInfo* input : graph.inputs()) {
    const Type* type = type_of(shown_fact(facts, *input->value), graph.context().arena);
    if (bound && differs(input->type, type)) graph.set_type(*input, type);
  }
  for (ValueInfo* output : graph.outputs()) {
    const Type* type = type_of(shown_fact(facts, *output->value), graph.context().arena);
    const bool open = !output->type || (output->type->is_tensor() && !output->type->has_shape);
    if ((bound || open) && facts.is_complete(*output->value) && differs(output->type, type))
      graph.set_type(*output, type);
  }
}

}  // namespace

InferReport infer(const std::string& input, const std::string& output, const InferOptions& options,
                  const ConvertStreams& streams) {
  LoadedModel loaded = load_model(input, options.load);
  try {
    const Facts facts(loaded.model, settings_of(options, loaded.model));
    require_fitting(facts, loaded.model);
    InferReport report = report_of(facts, loaded.model, options);
    report.file = loaded.name;
    if (output.empty()) return report;
    for_each_graph(loaded.model.graph(), [&](Graph& graph) { declare_values(graph, facts); });
    declare_interface(loaded.model.graph(), facts, options);
    ConvertReport written;
    write_converted(loaded, output, {}, streams, written);
    report.files = written.files;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

std::string to_json(const InferReport& report) { return text_of(json_of(report)); }

}  // namespace onnxpress::tasks

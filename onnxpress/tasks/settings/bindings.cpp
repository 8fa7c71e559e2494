// Parses what users say about inputs on the command line.
#include "onnxpress/tasks/settings/bindings.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/inputs/made_inputs.h"

namespace onnxpress {

namespace {

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
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t size_in(std::string_view option, std::string_view text) {
  const auto size = number_in(text);
  if (size && *size >= 0 && Dim::fits(*size)) return *size;
  throw OptionError(fmt::format("option `{}`: {} is not a size", option, quote_name(text)),
                    "sizes are whole numbers from 0");
}

// "1x3x224", "batch,3,H" or "" for a scalar. With commas, words are symbols.
std::vector<Dim> shape_in(std::string_view text, Context& context) {
  std::vector<Dim> shape;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const bool commas = text.find(',') != std::string_view::npos;
  const bool sizes = text.find_first_not_of("0123456789x") == std::string_view::npos;
  for (const std::string_view part : split(text, commas || !sizes ? ',' : 'x')) {
    const auto size = number_in(part);
    if (part == "?") {
      shape.emplace_back();
    } else {
      shape.push_back(size || part.empty() ? Dim::size(size_in("shape", part)) : Dim::symbol(context.symbol(part)));
    }
  }
  return shape;
}

const ValueInfo* input_named(const Model& model, std::string_view name) {
  for (const ValueInfo* input : model.graph().inputs()) {
    if (input->value->name() == name) return input;
  }
  return nullptr;
}

// A whole number; for a bool input: 0, 1, false or true.
std::optional<std::int64_t> element_in(std::string_view text, ElementType type) {
  if (type != ElementType::kBool) return number_in(text);
  if (text == "true" || text == "1") return 1;
  if (text == "false" || text == "0") return 0;
  return std::nullopt;
}

std::vector<std::int64_t> elements_in(std::string_view name, std::string_view text, ElementType type) {
  std::vector<std::int64_t> numbers;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  for (const std::string_view part : split(text, ',')) {
    const auto number = element_in(part, type);
    if (!number) {
      throw Error("",
                  fmt::format("option `value={}`: {} is not {}", quote_name(name), quote_name(part),
                              type == ElementType::kBool ? "true, false, 1 or 0" : "a whole number"),
                  "");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

// "640,640", "3" or "true": elements of the input's type (int64 when it has none).
ops::Array value_in(std::string_view name, std::string_view text, const Model& model) {
  const ValueInfo* input = input_named(model, name);
  const Type* type = input ? input->type : nullptr;
  const ElementType element = type && type->is_tensor() ? type->element : ElementType::kInt64;
  const std::vector<std::int64_t> numbers = elements_in(name, text, element);
  const bool list = text.find(',') != std::string_view::npos || text.starts_with('[');
  const bool scalar = !list && numbers.size() == 1 && !(type && type->has_shape && type->dims.size() == 1);
  ops::Array made =
      ops::Array::make(element, scalar ? ops::Sizes{} : ops::Sizes{static_cast<std::int64_t>(numbers.size())});
  const auto fill = [&]<typename T>() {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      made.mutable_data<T>()[i] = static_cast<T>(static_cast<ops::Computed<T>>(numbers[i]));
  };
  if (element == ElementType::kBool) {
    std::ranges::transform(numbers, made.mutable_data<ops::Bool>().begin(),
                           [](std::int64_t number) { return ops::Bool(number != 0); });
  } else if (!ops::dispatch(ops::NumberTypes(), element, fill)) {
    throw Error("",
                fmt::format("option `value={}`: an input of type {} cannot be set this way", quote_name(name),
                            name_of(element)),
                "");
  }
  return made;
}

}  // namespace

std::pair<std::string, std::string> split_binding(std::string_view option, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw OptionError(fmt::format("option `{}={}` does not have the form NAME=VALUE", option, quote_name(text)),
                      option == "dim" ? "write option `dim=batch=8`" : "write option `shape=x=1x3x224x224`");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

analysis::FactSettings settings_of(const BindingOptions& options, const Model& model) {
  analysis::FactSettings settings;
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

std::string names_of_inputs(const Model& model) {
  std::vector<std::string> names;
  for (const ValueInfo* input : inputs::inputs_to_give(model)) names.push_back(plain_or_quoted(input->value->name()));
  return names.empty() ? "the model needs no inputs" : fmt::format("the inputs are {}", fmt::join(names, ", "));
}

void require_fitting(const analysis::Facts& facts, const Model& model) {
  if (facts.refused().empty()) return;
  std::string inputs;
  for (const ValueInfo* input : inputs::inputs_to_give(model)) {
    inputs += fmt::format("{}{}: {}", inputs.empty() ? "" : "; ", plain_or_quoted(input->value->name()),
                          to_string(input->type));
  }
  throw Error("", facts.refused().front(), fmt::format("the inputs are {}", inputs));
}

}  // namespace onnxpress

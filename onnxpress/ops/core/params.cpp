// Looks parameters up.
#include "onnxpress/ops/core/params.h"

#include <bit>

#include "onnxpress/base/from_chars.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::ops {

const Attribute* AttributeScope::find(std::string_view name) const {
  for (const Attribute* attribute : given) {
    if (attribute->name != name) continue;
    if (!attribute->is_reference()) return attribute;
    return outer ? outer->find(attribute->ref_name) : nullptr;
  }
  for (const Attribute* attribute : defaults) {
    if (attribute->name == name) return attribute;
  }
  return nullptr;
}

namespace {

// Defaults are written as in ONNX text: 1, 0.5, "NOTSET", [1, 1].
template <typename T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

// Calls `take` for each item of "[a,b,c]".
template <typename Take>
void for_each_item(std::string_view list, Take&& take) {
  if (list.size() < 2) return;
  list = list.substr(1, list.size() - 2);
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    take(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
}

}  // namespace

const Attribute* Params::attribute(std::string_view name) const {
  const Attribute* found = node_->attribute(name);
  // If this version of the op takes the parameter as an operand, an attribute of that name has no meaning.
  if (found && schema().operand(name) >= 0 && !schema().attribute(name)) return nullptr;
  if (!found || !found->is_reference()) return found;
  return scope_ ? scope_->find(found->ref_name) : nullptr;
}

bool Params::given(std::string_view name) const {
  if (attribute(name)) return true;
  const int operand = schema().operand(name);
  return operand >= 0 && node_->input(static_cast<std::size_t>(operand));
}

const Array* Params::operand_value(std::string_view name) const {
  const int operand = schema().operand(name);
  return operand < 0 ? nullptr : operands_->constant(static_cast<std::size_t>(operand));
}

std::optional<std::int64_t> Params::integer(std::string_view name) const {
  if (const Attribute* found = attribute(name)) {
    const auto* value = std::get_if<std::int64_t>(&found->value);
    return value ? std::optional(*value) : std::nullopt;
  }
  if (const Array* value = operand_value(name)) {
    const auto list = value->integers();
    return list && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
  }
  const ParameterSchema* declared = schema().attribute(name);
  return declared && declared->default_text.data() ? number_in<std::int64_t>(declared->default_text) : std::nullopt;
}

std::optional<double> Params::real(std::string_view name) const {
  if (const Attribute* found = attribute(name)) {
    const auto* value = std::get_if<float>(&found->value);
    return value ? std::optional<double>(*value) : std::nullopt;
  }
  if (const Array* value = operand_value(name)) return value->number();
  const ParameterSchema* declared = schema().attribute(name);
  if (!declared || !declared->default_text.data()) return std::nullopt;
  const auto value = number_in<float>(declared->default_text);
  return value ? std::optional<double>(*value) : std::nullopt;
}

std::optional<std::string_view> Params::text(std::string_view name) const {
  if (const Attribute* found = attribute(name)) {
    const auto* value = std::get_if<std::string_view>(&found->value);
    return value ? std::optional(*value) : std::nullopt;
  }
  const ParameterSchema* declared = schema().attribute(name);
  return declared && declared->default_text.data() ? std::optional(unquoted(declared->default_text)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> Params::integers(std::string_view name) const {
  if (const Attribute* found = attribute(name)) {
    if (const auto* list = std::get_if<std::span<const std::int64_t>>(&found->value))
      return std::vector(list->begin(), list->end());
    return std::nullopt;
  }
  if (const Array* value = operand_value(name)) return value->integers();
  const ParameterSchema* declared = schema().attribute(name);
  if (!declared || !declared->default_text.data()) return std::nullopt;
  std::vector<std::int64_t> list;
  for_each_item(declared->default_text,
                [&](std::string_view item) { list.push_back(number_in<std::int64_t>(item).value_or(0)); });
  return list;
}

std::optional<std::vector<float>> Params::reals(std::string_view name) const {
  if (const Attribute* found = attribute(name)) {
    if (const auto* list = std::get_if<std::span<const float>>(&found->value))
      return std::vector(list->begin(), list->end());
    return std::nullopt;
  }
  if (const Array* value = operand_value(name)) {
    std::vector<float> list;
    const bool known = dispatch(FloatTypes(), value->type(), [&]<typename T>() {
      for (const T each : value->data<T>()) list.push_back(static_cast<float>(each));
    });
    return known ? std::optional(list) : std::nullopt;
  }
  const ParameterSchema* declared = schema().attribute(name);
  if (!declared || !declared->default_text.data()) return std::nullopt;
  std::vector<float> list;
  for_each_item(declared->default_text,
                [&](std::string_view item) { list.push_back(number_in<float>(item).value_or(0)); });
  return list;
}

std::optional<std::vector<std::string_view>> Params::texts(std::string_view name) const {
  if (const Attribute* found = attribute(name)) {
    if (const auto* list = std::get_if<std::span<const std::string_view>>(&found->value))
      return std::vector(list->begin(), list->end());
    return std::nullopt;
  }
  const ParameterSchema* declared = schema().attribute(name);
  if (!declared || !declared->default_text.data()) return std::nullopt;
  std::vector<std::string_view> list;
  for_each_item(declared->default_text, [&](std::string_view item) { list.push_back(unquoted(item)); });
  return list;
}

namespace {

template <typename T>
T* pointer_in(const Attribute* attribute) {
  T* const* value = attribute ? std::get_if<T*>(&attribute->value) : nullptr;
  return value ? *value : nullptr;
}

}  // namespace

const Tensor* Params::tensor(std::string_view name) const { return pointer_in<Tensor>(attribute(name)); }
const SparseTensor* Params::sparse_tensor(std::string_view name) const {
  return pointer_in<SparseTensor>(attribute(name));
}
const Type* Params::type(std::string_view name) const { return pointer_in<const Type>(attribute(name)); }
Graph* Params::graph(std::string_view name) const { return pointer_in<Graph>(attribute(name)); }

std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::optional<std::vector<std::size_t>> normal_axes(std::span<const std::int64_t> axes, std::size_t rank) {
  std::vector<std::size_t> normal;
  std::vector<bool> seen(rank, false);
  for (const std::int64_t axis : axes) {
    const auto found = normal_axis(axis, rank);
    if (!found || seen[*found]) return std::nullopt;
    seen[*found] = true;
    normal.push_back(*found);
  }
  return normal;
}

namespace {

template <typename T>
bool is_default_list(std::string_view text, std::span<const T> values) {
  std::size_t i = 0;
  bool same = true;
  for_each_item(text, [&](std::string_view item) {
    const auto number = number_in<T>(item.substr(std::min(item.find_first_not_of(' '), item.size())));
    same = same && i < values.size() && number == values[i];
    ++i;
  });
  return same && i == values.size();
}

}  // namespace

bool is_default(const Schema& schema, const Attribute& attribute) {
  const ParameterSchema* declared = schema.attribute(attribute.name);
  if (!declared || !declared->default_text.data() || attribute.is_reference() || declared->type != attribute.type)
    return false;
  const std::string_view text = declared->default_text;
  const auto& value = attribute.value;
  if (const auto* one = std::get_if<std::int64_t>(&value)) return number_in<std::int64_t>(text) == *one;
  if (const auto* one = std::get_if<float>(&value)) {
    const auto number = number_in<float>(text);
    return number && std::bit_cast<std::uint32_t>(*number) == std::bit_cast<std::uint32_t>(*one);
  }
  if (const auto* one = std::get_if<std::string_view>(&value)) return unquoted(text) == *one;
  if (const auto* list = std::get_if<std::span<const std::int64_t>>(&value)) return is_default_list(text, *list);
  return false;
}

}  // namespace onnxpress::ops

// Parses the last column of the schema table once.
#include "onnxpress/ops/schema/attribute_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "onnxpress/ir/node.h"
#include "onnxpress/ops/schema/schema_table.h"

namespace onnxpress::ops {

namespace {

using Key = std::tuple<std::string_view, std::string_view, int, std::string_view>;  // domain, op, since, attribute

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

const std::map<Key, std::vector<std::string_view>>& all_values() {
  static const std::map<Key, std::vector<std::string_view>> kValues = [] {
    std::map<Key, std::vector<std::string_view>> values;
    for (const SchemaRow& row : schema_table()) {
      for (const std::string_view list : parts_of(row.values, ' ')) {
        const std::size_t equals = list.find('=');
        values.emplace(Key(row.domain, row.name, row.since, list.substr(0, equals)),
                       parts_of(list.substr(equals + 1), ','));
      }
    }
    return values;
  }();
  return kValues;
}

// Tried with onnx 1.23 and ONNX Runtime 1.31, in every version of each op that ONNX Runtime has.
constexpr struct {
  std::string_view op, attribute, values;  // no values: any
} kTaken[] = {{"Pad", "mode", "wrap"},
              {"Resize", "mode", "cubic"},
              {"Upsample", "mode", "cubic"},
              {"Resize", "coordinate_transformation_mode", "half_pixel_symmetric tf_half_pixel_for_nn"},
              {"Attention", "qk_matmul_output_mode", ""},
              {"Unique", "sorted", ""},
              {"RoiAlign", "coordinate_transformation_mode", ""},
              {"ScatterElements", "reduction", ""},
              {"ScatterND", "reduction", ""},
              {"NegativeLogLikelihoodLoss", "reduction", ""},
              {"SoftmaxCrossEntropyLoss", "reduction", ""}};

}  // namespace

std::span<const std::string_view> values_of(const Schema& schema, std::string_view attribute) {
  const auto found = all_values().find(Key(schema.domain, schema.name, schema.since, attribute));
  return found == all_values().end() ? std::span<const std::string_view>() : found->second;
}

bool lists_value(const Schema& schema, std::string_view attribute, std::string_view value) {
  const auto values = values_of(schema, attribute);
  if (values.empty() || std::ranges::find(values, value) != values.end()) return true;
  // The first version of GRU misspells its default.
  const ParameterSchema* declared = schema.attribute(attribute);
  return declared && declared->default_text.data() && declared->default_text == fmt::format("\"{}\"", value);
}

bool lists_value(const Schema& schema, const Attribute& attribute) {
  if (attribute.is_reference()) return true;
  if (const auto* text = std::get_if<std::string_view>(&attribute.value))
    return lists_value(schema, attribute.name, *text);
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value))
    return lists_value(schema, attribute.name, std::to_string(*number));
  return true;
}

bool is_taken_anyway(const Node& node, const Schema& schema, std::string_view attribute, std::string_view value) {
  // ONNX Runtime reads it only if it needs it, and takes none for the default.
  if (attribute == "nearest_mode" && value.empty()) return true;
  const Attribute* mode = attribute == "nearest_mode" ? node.attribute("mode") : nullptr;
  const auto* word = mode ? std::get_if<std::string_view>(&mode->value) : nullptr;
  if (word && *word != "nearest") return true;
  return std::ranges::any_of(kTaken, [&](const auto& each) {
    if (!schema.domain.empty() || each.op != schema.name || each.attribute != attribute) return false;
    const auto values = parts_of(each.values, ' ');
    return values.empty() || std::ranges::find(values, value) != values.end();
  });
}

}  // namespace onnxpress::ops

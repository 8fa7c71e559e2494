// Names and kinds of attributes.
#include "onnxpress/ir/attribute.h"

namespace onnxpress {

std::string_view name_of(AttributeType type) {
  constexpr std::string_view kNames[kAttributeTypeCount] = {
      "undefined", "float",   "int",    "string",        "tensor",         "graph",      "floats",     "ints",
      "strings",   "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"};
  const auto number = static_cast<std::int32_t>(type);
  return number >= 0 && number < kAttributeTypeCount ? kNames[number] : "unknown";
}

AttributeType type_of(const Attribute::Value& value) {
  // In the order of the variant's alternatives.
  constexpr AttributeType kTypes[] = {
      AttributeType::kUndefined, AttributeType::kFloat,         AttributeType::kInt,          AttributeType::kString,
      AttributeType::kTensor,    AttributeType::kGraph,         AttributeType::kSparseTensor, AttributeType::kType,
      AttributeType::kFloats,    AttributeType::kInts,          AttributeType::kStrings,      AttributeType::kTensors,
      AttributeType::kGraphs,    AttributeType::kSparseTensors, AttributeType::kTypes};
  static_assert(std::size(kTypes) == std::variant_size_v<Attribute::Value>);
  return kTypes[value.index()];
}

}  // namespace onnxpress

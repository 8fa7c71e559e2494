/// \file
/// Attribute: a named parameter of a node, of one of ONNX's fourteen kinds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "onnxpress/ir/tensor.h"
#include "onnxpress/ir/type.h"

namespace onnxpress {

class Graph;

/// The numbers are those of AttributeProto.AttributeType; other numbers in a file are kept.
enum class AttributeType : std::int32_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kType = 13,
  kTypes = 14,
};
/// How many kinds there are, kUndefined included.
inline constexpr int kAttributeTypeCount = 15;

/// "float", "ints", "graph", "type_proto", ... as the ONNX text syntax writes them; "undefined" or "unknown" otherwise.
std::string_view name_of(AttributeType type);

/// Lives in the arena. Lists and texts point into the arena or the mapped file.
struct Attribute {
  using Value = std::variant<std::monostate, float, std::int64_t, std::string_view, Tensor*, Graph*, SparseTensor*,
                             const Type*, std::span<const float>, std::span<const std::int64_t>,
                             std::span<const std::string_view>, std::span<Tensor* const>, std::span<Graph* const>,
                             std::span<SparseTensor* const>, std::span<const Type* const>>;

  std::string_view name;
  std::string_view ref_name;  ///< inside a function: the function's attribute that gives the value (null data: none)
  std::string_view doc;
  AttributeType type = AttributeType::kUndefined;  ///< deduced from the value where an old file does not say
  bool states_type = true;                         ///< the file says `type` (in IR version 1 it did not)
  bool conflicting = false;                        ///< fields of another kind than `type` are set as well
  Value value;
  std::string_view origin;  ///< the encoded form it was read from
  bool changed = false;     ///< the value is no longer what `origin` says

  bool is_reference() const { return !ref_name.empty(); }
};

/// The kind that a value of this variant alternative has.
AttributeType type_of(const Attribute::Value& value);

/// Calls `visit(Graph&)` for each body in the attribute.
template <typename Visit>
void for_each_graph_in(const Attribute& attribute, Visit&& visit) {
  if (const auto* graph = std::get_if<Graph*>(&attribute.value)) {
    visit(**graph);
  } else if (const auto* graphs = std::get_if<std::span<Graph* const>>(&attribute.value)) {
    for (Graph* each : *graphs) visit(*each);
  }
}

/// Calls `visit(Tensor&)` for each tensor in the attribute, those inside sparse tensors included (not those inside
/// bodies).
template <typename Visit>
void for_each_tensor_in(const Attribute& attribute, Visit&& visit) {
  const auto sparse = [&visit](SparseTensor& tensor) {
    if (tensor.values) visit(*tensor.values);
    if (tensor.indices) visit(*tensor.indices);
  };
  if (const auto* tensor = std::get_if<Tensor*>(&attribute.value)) {
    visit(**tensor);
  } else if (const auto* tensors = std::get_if<std::span<Tensor* const>>(&attribute.value)) {
    for (Tensor* each : *tensors) visit(*each);
  } else if (const auto* one = std::get_if<SparseTensor*>(&attribute.value)) {
    sparse(**one);
  } else if (const auto* many = std::get_if<std::span<SparseTensor* const>>(&attribute.value)) {
    for (SparseTensor* each : *many) sparse(*each);
  }
}

}  // namespace onnxpress

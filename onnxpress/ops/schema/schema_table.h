// The generated table of operator schemas, one row per (domain, op, since). scripts/update_schemas explains the texts.
#pragma once

#include <span>
#include <string_view>

namespace onnxpress::ops {

struct SchemaRow {
  std::string_view domain, name;
  int since;
  bool deprecated;
  std::string_view operands, results, attributes, types;
  std::string_view marks = {};   // "runtime": only ONNX Runtime has this op here; "open": takes unknown attributes
  std::string_view values = {};  // "mode=constant,reflect": what the documentation lists for attributes
};

// Sorted by domain, name and version.
std::span<const SchemaRow> schema_table();

}  // namespace onnxpress::ops

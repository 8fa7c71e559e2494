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
  bool of_runtime = false;  // only ONNX Runtime has this op in a domain of the standard
};

// Sorted by domain, name and version.
std::span<const SchemaRow> schema_table();

}  // namespace onnxpress::ops

// Looks for the mark in the schema table.
#include "onnxpress/ops/schema/runtime_only.h"

#include <algorithm>
#include <vector>

#include "onnxpress/ops/schema/schema_table.h"

namespace onnxpress::ops {

bool is_runtime_only(const Schema& schema) {
  static const std::vector<SchemaRow> kRows = [] {
    std::vector<SchemaRow> rows;
    std::ranges::copy_if(schema_table(), std::back_inserter(rows),
                         [](const SchemaRow& row) { return row.marks.find("runtime") != std::string_view::npos; });
    return rows;
  }();
  return std::ranges::any_of(kRows, [&](const SchemaRow& row) {
    return row.domain == schema.domain && row.name == schema.name && row.since == schema.since;
  });
}

}  // namespace onnxpress::ops

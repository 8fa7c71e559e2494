// Renders several models as one table.
#include <fmt/format.h>

#include "cli/screens/info_screen.h"
#include "cli/screens/profile_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

std::string standard_opset(const Summary& model) {
  for (const OpsetLine& opset : model.opsets) {
    if (opset.domain == "ai.onnx") return std::to_string(opset.version);
  }
  return "-";
}

std::string macs_text(const ComputeLine& compute) {
  if (!compute.macs) return "?";
  return (compute.at_least ? ">= " : "") + short_number(*compute.macs);
}

}  // namespace

std::string comparison_screen(const std::vector<InfoRow>& rows, const InfoOptions& options, const Screen& screen) {
  using Align = Table::Align;
  std::vector<Table::Column> columns = {
      {"file", Align::kLeft, true}, {"size", Align::kRight},       {"IR", Align::kRight},      {"opset", Align::kRight},
      {"nodes", Align::kRight},     {"parameters", Align::kRight}, {"weights", Align::kRight}, {"MACs", Align::kRight}};
  if (options.compressed) {
    for (const char* name : {"gzip", "brotli", "zstd"}) columns.push_back({name, Align::kRight});
  }
  if (options.duplicates) columns.push_back({"duplicates", Align::kRight});
  Table table(std::move(columns));
  std::uint64_t total_bytes = 0, failed = 0;
  for (const InfoRow& row : rows) {
    if (!row.report) {
      table.add_remark(printable(row.file), "cannot be read (see below)");
      ++failed;
      continue;
    }
    const InfoReport& report = *row.report;
    const std::uint64_t size = report.file_bytes + report.bytes.external;
    total_bytes += size;
    std::vector<std::string> cells = {printable(row.file),
                                      human_bytes(size),
                                      report.model.ir_version ? std::to_string(*report.model.ir_version) : "-",
                                      standard_opset(report.model),
                                      with_commas(report.model.nodes.total),
                                      human_count(report.weights.parameters),
                                      human_bytes(report.weights.bytes),
                                      macs_text(report.compute)};
    if (const auto& small = report.compressed) {
      for (const std::uint64_t bytes : {small->gzip, small->brotli, small->zstd}) cells.push_back(human_bytes(bytes));
    }
    if (report.duplicates) cells.push_back(human_bytes(report.duplicates->duplicated_bytes));
    table.add(std::move(cells));
  }
  std::string out = table.to_text(screen, 0);
  out += fmt::format("\n{}, {}{}\n", counted(rows.size(), "model", "models"), human_bytes(total_bytes),
                     failed ? fmt::format("; {} could not be read", failed) : "");
  return out;
}

}  // namespace onnxpress::cli

// The profile as a table that spreadsheets read.
#include <fmt/format.h>

#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress::tasks {

namespace {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& each : texts) out += (out.empty() ? "" : "; ") + each;
  return out;
}

std::string number(const std::optional<std::uint64_t>& value) { return value ? std::to_string(*value) : ""; }

}  // namespace

std::string to_csv(const ProfileReport& report) {
  std::string out =
      "name,op,inputs,outputs,macs,flops,parameters,weight_bytes,read,written,live,times,depth,counted,known\n";
  for (const NodeProfile& node : report.node_list) {
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(node.name), csv_cell(node.op),
                       csv_cell(joined(node.inputs)), csv_cell(joined(node.outputs)), number(node.macs),
                       number(node.flops), node.parameters, node.weight_bytes, number(node.read), number(node.written),
                       node.live, number(node.times), node.depth, node.counted ? 1 : 0, node.known ? 1 : 0);
  }
  out += fmt::format("total,,,,{},{},{},{},{},{},{},,,,\n", number(report.macs.value), number(report.flops.value),
                     report.parameters, report.weight_bytes, number(report.read.value), number(report.written.value),
                     report.memory.peak);
  return out;
}

}  // namespace onnxpress::tasks

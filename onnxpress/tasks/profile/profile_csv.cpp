// The profile as a table for spreadsheets.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/cost/count_style.h"
#include "onnxpress/base/utf8.h"
#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress {

namespace {

// Names in broken models may not be UTF-8, and spreadsheets would refuse the whole file.
std::string as_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character first = first_character(text);
    if (first.point == Utf8Character::kBroken) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else {
      out += text.substr(0, first.length);
    }
    text.remove_prefix(first.length);
  }
  return out;
}

std::string csv_cell(std::string_view text) {
  if (!is_valid_utf8(text)) return csv_cell(as_utf8(text));
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
std::string real(const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : ""; }

// --- onnx-tool's table

// "float[1,3,224,224]" -> "1x3x224x224"; a scalar is 0 there.
std::string shape_with_x(const std::vector<std::string>& types) {
  if (types.empty()) return "0";
  const std::size_t open = types.front().find('['), close = types.front().rfind(']');
  if (open == std::string::npos || close <= open + 1) return "0";
  std::string shape = types.front().substr(open + 1, close - open - 1);
  std::ranges::replace(shape, ',', 'x');
  return shape;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.2f}%", whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

// onnx-tool adds its sparse columns if a weight of the model has more than 40 % zeros.
bool shows_sparsity(const ProfileReport& report) {
  return report.sparsity &&
         std::ranges::any_of(report.sparsity->weights, [](const SparseWeight& each) { return each.ratio > 0.4; });
}

std::string sparse_cells(const ProfileReport& report, const NodeProfile& node) {
  for (const SparseWeight& each : report.sparsity->weights) {
    if (each.node != node.name || !node.zeros || each.ratio != *node.zeros) continue;
    return fmt::format("({}, {}),{:.4f},{:.4f},", each.block_rows, each.block_columns, each.block_ratio, each.ratio);
  }
  return "(1, 1),0.0000,0.0000,";
}

std::string onnx_tool_csv(const ProfileReport& report) {
  const bool sparse = shows_sparsity(report);
  std::vector<const NodeProfile*> rows;
  std::uint64_t work = 0, memory = 0, parameters = 0;
  for (const NodeProfile& node : report.node_list) {
    if (analysis::onnx_tool_hides(node.op) || !node.counted) continue;
    rows.push_back(&node);
    work += node.work.value_or(0);
    memory += node.result_bytes.value_or(0) + node.weight_bytes;
    parameters += node.parameters;
  }
  std::string out = fmt::format("Name,Type,{}Forward_MACs,FPercent,Memory,MPercent,Params,PPercent,InShape,OutShape\n",
                                sparse ? "Sparse Pattern,Sparse Block Ratio,Sparse Ratio," : "");
  for (const NodeProfile* node : rows) {
    const std::uint64_t bytes = node->result_bytes.value_or(0) + node->weight_bytes;
    std::string cells = sparse ? sparse_cells(report, *node) : "";
    if (sparse) cells = "\"" + cells.substr(0, cells.find(')') + 1) + "\"" + cells.substr(cells.find(')') + 1);
    out += fmt::format("{},{},{}{},{},{},{},{},{},{},{}\n", csv_cell(node->name), csv_cell(node->op), cells,
                       node->work.value_or(0), share(node->work.value_or(0), work), bytes, share(bytes, memory),
                       node->parameters, share(node->parameters, parameters), shape_with_x(node->inputs),
                       shape_with_x(node->outputs));
  }
  return out + fmt::format("Total,_,{}{},100%,{},100%,{},100%,_,_\n", sparse ? "_,_,_," : "", work, memory, parameters);
}

}  // namespace

std::string to_csv(const ProfileReport& report) {
  if (report.count == Count::kOnnxTool) return onnx_tool_csv(report);
  const bool other = report.count == Count::kFvcore || report.count == Count::kThop;
  std::string out = fmt::format(
      "name,op,scope,inputs,outputs,{}macs,flops,parameters,weight_bytes,read,written,live,times,depth,counted,known{}{"
      "}\n",
      other ? "work," : "", report.sparsity ? ",zeros,effective_macs" : "",
      report.time ? ",microseconds,p90_microseconds,gflops_per_s,gb_per_s,covers" : "");
  for (const NodeProfile& node : report.node_list) {
    out += fmt::format("{},{},{},{},{},{}{},{},{},{},{},{},{},{},{},{},{}", csv_cell(node.name), csv_cell(node.op),
                       csv_cell(node.scope), csv_cell(joined(node.inputs)), csv_cell(joined(node.outputs)),
                       other ? number(node.work) + "," : "", number(node.macs), number(node.flops), node.parameters,
                       node.weight_bytes, number(node.read), number(node.written), node.live, number(node.times),
                       node.depth, node.counted ? 1 : 0, node.known ? 1 : 0);
    if (report.sparsity) out += fmt::format(",{},{}", real(node.zeros), number(node.effective_macs));
    if (report.time) {
      const auto text = [](const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : ""; };
      out += fmt::format(",{},{},{},{},{}", text(node.microseconds), text(node.p90_microseconds),
                         text(node.gflops_per_s), text(node.gb_per_s), csv_cell(joined(node.covers)));
    }
    out += '\n';
  }
  out += fmt::format("total,,,,,{}{},{},{},{},{},{},{},,,,", other ? number(report.work.value) + "," : "",
                     number(report.macs.value), number(report.flops.value), report.parameters, report.weight_bytes,
                     number(report.read.value), number(report.written.value), report.memory.peak);
  if (report.sparsity) out += fmt::format(",,{}", report.sparsity->effective_macs);
  if (report.time) out += fmt::format(",{:.3f},,,,", report.time->kernels_ms * 1000);
  return out + '\n';
}

}  // namespace onnxpress

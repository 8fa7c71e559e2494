// Renders the report of one model: header, inputs and outputs, nodes, weights, bytes.
#include "cli/screens/info_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/screens/info_parts.h"
#include "cli/screens/numbered_values.h"
#include "cli/screens/profile_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

using Align = Table::Align;

// The opsets in as many rows as they need: some exporters import a dozen.
void add_opsets(Table& table, const Summary& model, const Screen& screen) {
  constexpr std::size_t kLabelWidth = 12;
  const std::size_t room = std::min<std::size_t>(screen.width, 100) - kLabelWidth;  // lines are broken, nothing is cut
  std::string line;
  std::string label = "opsets";
  const auto end_line = [&] {
    table.add({label, line.empty() ? "none" : line});
    label.clear();
    line.clear();
  };
  for (const OpsetLine& opset : model.opsets) {
    const std::string text = fmt::format("{} {}", elided(printable(opset.domain), 40), opset.version);
    if (!line.empty() && display_width(line) + 2 + display_width(text) > room) end_line();
    line += (line.empty() ? "" : ", ") + text;
  }
  end_line();
}

std::string format_text(const InfoReport& report) {
  const char* form = report.format == ModelForm::kText   ? "ONNX text"
                     : report.format == ModelForm::kJson ? "ONNX as JSON"
                                                         : "ONNX";
  const auto& version = report.model.ir_version;
  return version ? fmt::format("{}, IR version {}", form, *version) : fmt::format("{}, no IR version", form);
}

std::string graph_text(const Summary& model) {
  std::vector<std::string> parts;
  if (!model.graph.empty()) parts.push_back(elided(printable(model.graph), 40));
  if (model.bodies > 0) {
    const std::string depth = model.deepest_body > 1 ? fmt::format(" up to {} deep", model.deepest_body) : "";
    parts.push_back(counted(model.bodies, "body", "bodies") + depth);
  }
  if (model.functions > 0) parts.push_back(counted(model.functions, "function", "functions"));
  if (model.training_graphs > 0) parts.push_back(counted(model.training_graphs, "training graph", "training graphs"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "4.37 GMACs at images float[1,3,640,640] (Conv 100 %)"
std::string compute_text(const ComputeLine& compute) {
  std::string text = compute.macs ? (compute.at_least ? "at least " : "") + with_unit(*compute.macs, "MACs")
                                  : "more than 2^63 MACs, or not known";
  const std::string more = compute.inputs.size() > 1 ? fmt::format(" and {} more", compute.inputs.size() - 1) : "";
  if (!compute.inputs.empty()) text += fmt::format(" at {}{}", printable(compute.inputs.front()), more);
  return text + fmt::format(" ({} {:.0f} %)", printable(compute.op), 100 * compute.share);
}

std::string heading(const InfoReport& report, const Screen& screen) {
  const std::string size = exact_bytes(report.file_bytes);
  const std::string extra =
      report.bytes.external > 0 ? fmt::format(" + {} in external files", human_bytes(report.bytes.external)) : "";
  const std::size_t room = screen.width - std::min(screen.width - 12, display_width(size) + display_width(extra) + 2);
  return fmt::format("{}  {}{}\n\n", inked(elided(printable(report.file), room), Ink::kStrong, screen), size, extra);
}

std::string facts(const InfoReport& report, const Screen& screen) {
  const Summary& model = report.model;
  Table table({{"", Align::kLeft, false, Ink::kFaint}, {"", Align::kLeft, true}});
  table.add({"format", format_text(report)});
  add_opsets(table, model, screen);
  const std::string producer =
      printable(model.producer_name + (model.producer_version.empty() ? "" : " " + model.producer_version));
  if (!model.producer_name.empty() || !model.producer_version.empty()) table.add({"producer", producer});
  if (const std::string graph = graph_text(model); !graph.empty()) table.add({"graph", graph});
  if (!report.compute.op.empty()) table.add({"compute", compute_text(report.compute)});
  if (const auto& small = report.compressed)
    table.add({"compressed", fmt::format("{} by gzip -9, {} by brotli -11, {} by zstd -19", human_bytes(small->gzip),
                                         human_bytes(small->brotli), human_bytes(small->zstd))});
  if (model.model_version.value_or(0) != 0) table.add({"version", std::to_string(*model.model_version)});
  if (!model.domain.empty()) table.add({"domain", printable(model.domain)});
  if (!model.doc.empty()) table.add({"about", printable(model.doc)});
  return table.to_text(screen);
}

std::string values(std::string_view title, const std::vector<InterfaceLine>& lines, bool fold, const Screen& screen) {
  if (lines.empty()) return section_title(title, "none", screen);
  Table table({{"", Align::kLeft, true}, {"", Align::kLeft, true, Ink::kGood}});
  const auto shown = fold ? grouped_by_number(lines) : lines;
  for (const InterfaceLine& line : shown) table.add({printable(line.name), printable(line.type)});
  const std::string remark = shown.size() < lines.size() ? with_commas(lines.size()) : "";
  return section_title(title, remark, screen) + table.to_text(screen);
}

std::string interface_section(const Summary& model, bool all, const Screen& screen) {
  std::string out = values("Inputs", model.inputs, !all, screen);
  if (!model.inputs_with_default.empty()) {
    out += all ? values("Inputs with a default", model.inputs_with_default, false, screen)
               : fmt::format("  and {} that can be overridden (--all-inputs lists them)\n",
                             counted(model.inputs_with_default.size(), "initializer", "initializers"));
  }
  return out + values("Outputs", model.outputs, !all, screen);
}

std::string op_text(const OpCount& op) {
  const std::string domain = op.domain == "ai.onnx" ? "" : printable(op.domain) + ".";
  return elided(fmt::format("{}{}{}", domain, printable(op.op), op.function ? "()" : ""), 44);
}

std::string node_places(const NodeCounts& nodes) {
  std::vector<std::string> places;
  const auto place = [&places](std::uint64_t count, std::string_view where) {
    if (count > 0) places.push_back(fmt::format("{} in {}", with_commas(count), where));
  };
  place(nodes.main_graph, "the main graph");
  place(nodes.bodies, "bodies");
  place(nodes.functions, "functions");
  place(nodes.training, "training graphs");
  return places.size() > 1 ? fmt::format(": {}", fmt::join(places, ", ")) : "";
}

std::string node_section(const NodeCounts& nodes, const Screen& screen) {
  constexpr std::size_t kMostOps = 40;  // ten lines of four columns
  const std::size_t shown = nodes.by_op.size() <= kMostOps ? nodes.by_op.size() : kMostOps - 1;
  const std::size_t count_width = nodes.by_op.empty() ? 0 : with_commas(nodes.by_op.front().nodes).size();
  std::vector<std::string> cells;
  std::uint64_t rest = nodes.total;
  for (std::size_t i = 0; i < shown; ++i) {
    cells.push_back(fmt::format("{:>{}} {}", with_commas(nodes.by_op[i].nodes), count_width, op_text(nodes.by_op[i])));
    rest -= nodes.by_op[i].nodes;
  }
  if (shown < nodes.by_op.size()) {
    cells.push_back(fmt::format("{:>{}} of {} other ops", with_commas(rest), count_width, nodes.by_op.size() - shown));
  }
  return section_title("Nodes", with_commas(nodes.total) + node_places(nodes), screen) + in_columns(cells, screen);
}

std::string notes(const InfoReport& report, const Screen& screen) {
  std::string out;
  const auto note = [&](const std::string& text) {
    out += fmt::format("{} {}\n", inked("note:", Ink::kWarning, screen), text);
  };
  if (report.weights.wrong_size > 0) {
    note(fmt::format("{} data whose size does not match type and shape",
                     counted(report.weights.wrong_size, "tensor has", "tensors have")));
  }
  if (report.problems > 0) note(fmt::format("{} in this model", counted(report.problems, "problem", "problems")));
  if (report.repairs > 0)
    note(fmt::format("{} repaired while reading", counted(report.repairs, "problem was", "problems were")));
  if (!out.empty())
    out = '\n' + out + fmt::format("      run 'onnxpress check {}' for details\n", printable(report.file));
  return out;
}

}  // namespace

std::string info_screen(const InfoReport& report, const InfoOptions& options, const Screen& screen) {
  std::string out = heading(report, screen);
  if (report.only_interface) {
    out.pop_back();  // sections begin with an empty line themselves
    return out + interface_section(report.model, options.all_inputs, screen);
  }
  if (report.tensors) {
    out += tensor_section(report, screen);
    if (report.duplicates) out += duplicate_section(*report.duplicates, options.top, screen);
    return out;
  }
  out += facts(report, screen);
  out += interface_section(report.model, options.all_inputs, screen);
  out += node_section(report.model.nodes, screen);
  out += weight_section(report, screen);
  if (report.duplicates) out += duplicate_section(*report.duplicates, options.top, screen);
  out += byte_section(report, screen);
  out += metadata_section(report.model, options.top, screen);
  return out + notes(report, screen);
}

}  // namespace onnxpress::cli

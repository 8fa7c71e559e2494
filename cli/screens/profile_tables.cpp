// Renders operators, nodes, layers and sparse weights as tables.
#include "cli/screens/profile_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

using Align = Table::Align;
constexpr std::size_t kBarWidth = 16;

std::string bar_of(std::uint64_t part, std::uint64_t whole) {
  return bar(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole), kBarWidth);
}

std::uint64_t total_of(const ProfileReport& report) {
  std::uint64_t all = 0;
  for (const OpProfile& op : report.ops) all += op.work;
  return all;
}

std::string unit(const ProfileReport& report) { return std::string(unit_of(report.count)); }

std::vector<const NodeProfile*> sorted_nodes(const ProfileReport& report, const ProfileView& view) {
  std::vector<const NodeProfile*> nodes;
  for (const NodeProfile& node : report.node_list) nodes.push_back(&node);
  const auto key = [&](const NodeProfile* node) -> double {
    if (view.sort == ProfileOrder::kParameters) return static_cast<double>(node->parameters);
    if (view.sort == ProfileOrder::kMemory) return static_cast<double>(node->live);
    if (view.sort == ProfileOrder::kTime) return node->microseconds.value_or(0);
    return node->counted ? static_cast<double>(node->work.value_or(0)) : 0;
  };
  if (view.sort != ProfileOrder::kOrder) std::ranges::stable_sort(nodes, std::greater<>(), key);
  return nodes;
}

std::string line_name(const LayerLine& line, std::uint32_t depth) {
  const std::string repeats = line.repeats > 1 ? fmt::format("{} x ", line.repeats) : "";
  return std::string(2 * std::min<std::size_t>(depth, 16), ' ') + repeats + printable(line.name);
}

Table layer_columns(const ProfileReport& report) {
  std::vector<Table::Column> columns = {{"layer", Align::kLeft, true}, {"nodes", Align::kRight},
                                        {unit(report), Align::kRight}, {"share", Align::kRight},
                                        {"params", Align::kRight},     {"written", Align::kRight}};
  if (report.time) columns.push_back({"ms", Align::kRight});
  columns.push_back({"", Align::kLeft, false, Ink::kGood});
  return Table(std::move(columns));
}

void add_layer(Table& table, const ProfileReport& report, const LayerLine& line, std::uint32_t depth,
               std::uint64_t all) {
  std::vector<std::string> cells = {line_name(line, depth),  with_commas(line.nodes),       short_number(line.work),
                                    percent(line.work, all), short_number(line.parameters), human_bytes(line.written)};
  if (report.time) cells.push_back(fmt::format("{:.3f}", line.microseconds / 1000));
  cells.push_back(bar_of(line.work, all));
  table.add(std::move(cells));
}

// The heaviest lines, in their order. A layer is at least as heavy as each of its parts and comes before them, so no
// part is shown without it.
std::vector<std::size_t> heaviest(const std::vector<LayerLine>& lines, std::size_t most) {
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0);
  const bool no_work = std::ranges::all_of(lines, [](const LayerLine& line) { return line.work == 0; });
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return no_work ? lines[i].written : lines[i].work; });
  order.resize(std::min(order.size(), most));
  std::erase_if(order, [&](std::size_t i) { return !no_work && lines[i].work == 0; });
  std::ranges::sort(order);
  return order;
}

std::string pattern_text(const SparseWeight& weight) {
  std::vector<std::string> parts;
  if (weight.block_rows * weight.block_columns > 1)
    parts.push_back(
        fmt::format("{}x{} blocks {:.1f} %", weight.block_rows, weight.block_columns, 100 * weight.block_ratio));
  if (weight.group_of > 0) parts.push_back(fmt::format("{}:{}", weight.group_most, weight.group_of));
  if (weight.zero_rows > 0) parts.push_back(fmt::format("{} of {} filters", weight.zero_rows, weight.rows));
  if (weight.zero_columns > 0) parts.push_back(fmt::format("{} of {} channels", weight.zero_columns, weight.columns));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The least time on the device or, with measured times, the rates that were reached and the share of the roof.
void add_roof_columns(const ProfileReport& report, std::vector<Table::Column>& columns) {
  if (report.time) {
    columns.push_back({"GFLOP/s", Align::kRight});
    columns.push_back({"GB/s", Align::kRight});
    columns.push_back({"of roof", Align::kRight});
  } else {
    columns.push_back({"roof us", Align::kRight});
  }
  columns.push_back({"bound by", Align::kLeft});
}

void add_roof_cells(const ProfileReport& report, const NodeProfile& node, std::vector<std::string>& cells) {
  if (report.time) {
    const auto rate = [](std::optional<double> reached) { return reached ? fmt::format("{:.1f}", *reached) : ""; };
    cells.push_back(rate(node.gflops_per_s));
    cells.push_back(rate(node.gb_per_s));
    cells.push_back(node.roof_share ? fmt::format("{:.0f} %", 100 * *node.roof_share) : "");
  } else {
    cells.push_back(node.roof_microseconds ? fmt::format("{:.1f}", *node.roof_microseconds) : "");
  }
  cells.emplace_back(word_of(node.bound));
}

}  // namespace

std::string op_table(const ProfileReport& report, std::size_t most, const Screen& screen) {
  Table table({{"op", Align::kLeft, true},
               {"nodes", Align::kRight},
               {unit(report), Align::kRight},
               {"share", Align::kRight},
               {"params", Align::kRight},
               {"written", Align::kRight},
               {"", Align::kLeft, false, Ink::kGood}});
  const std::uint64_t all = total_of(report);
  for (std::size_t i = 0; i < report.ops.size() && i < most; ++i) {
    const OpProfile& op = report.ops[i];
    table.add({printable(op.op), with_commas(op.nodes), short_number(op.work), percent(op.work, all),
               short_number(op.parameters), human_bytes(op.written), bar_of(op.work, all)});
  }
  if (report.ops.size() > most)
    table.add_remark(fmt::format("... {} more", report.ops.size() - most), "--by op lists all");
  return table.to_text(screen);
}

std::string node_table(const ProfileReport& report, const ProfileView& view, const Screen& screen) {
  std::vector<Table::Column> columns = {{"node", Align::kLeft, true},  {"op", Align::kLeft},
                                        {unit(report), Align::kRight}, {"share", Align::kRight},
                                        {"params", Align::kRight},     {"alive", Align::kRight}};
  if (report.sparsity) columns.push_back({"zeros", Align::kRight});
  if (report.time) columns.push_back({"us", Align::kRight});
  if (report.roof) add_roof_columns(report, columns);
  columns.push_back({"output", Align::kLeft, true});
  const bool fused =
      std::ranges::any_of(report.node_list, [](const NodeProfile& node) { return !node.covers.empty(); });
  if (fused) columns.push_back({"also computes", Align::kLeft, true});
  Table table(std::move(columns));
  const std::uint64_t all = total_of(report);
  const auto nodes = sorted_nodes(report, view);
  const std::uint64_t top = view.top.value_or(8);
  const std::size_t most = top == 0 ? nodes.size() : std::min<std::size_t>(top, nodes.size());
  for (std::size_t i = 0; i < most; ++i) {
    const NodeProfile& node = *nodes[i];
    const std::string count = !node.known ? "unknown" : node.work ? short_number(*node.work) : "?";
    std::vector<std::string> cells = {std::string(2 * std::min<std::size_t>(node.depth, 8), ' ') + printable(node.name),
                                      printable(node.op),
                                      node.counted ? count + (node.estimate ? " ~" : "") : "(" + count + ")",
                                      node.counted && node.work ? percent(*node.work, all) : "",
                                      short_number(node.parameters),
                                      node.depth == 0 ? human_bytes(node.live) : ""};
    if (report.sparsity) cells.push_back(node.zeros ? fmt::format("{:.1f} %", 100 * *node.zeros) : "");
    if (report.time) cells.push_back(node.microseconds ? fmt::format("{:.1f}", *node.microseconds) : "");
    if (report.roof) add_roof_cells(report, node, cells);
    cells.push_back(node.outputs.empty() ? "" : printable(node.outputs.front()));
    if (fused) cells.push_back(printable(fmt::format("{}", fmt::join(node.covers, ", "))));
    table.add(std::move(cells));
  }
  return table.to_text(screen);
}

std::string layer_table(const ProfileReport& report, std::optional<std::uint64_t> depth, std::size_t most,
                        const Screen& screen) {
  Table table = layer_columns(report);
  const std::uint64_t all = total_of(report);
  std::vector<std::size_t> lines;
  if (!depth && most < report.layers.size()) {
    lines = heaviest(report.layers, most > 1 ? most - 1 : most);
  } else {
    for (std::size_t i = 0; i < report.layers.size(); ++i) {
      if (report.layers[i].depth < depth.value_or(~std::uint64_t{0})) lines.push_back(i);
    }
  }
  for (const std::size_t i : lines) add_layer(table, report, report.layers[i], report.layers[i].depth, all);
  if (lines.size() < report.layers.size())
    table.add_remark(fmt::format("... {} more", report.layers.size() - lines.size()), "--by tree lists all");
  return table.to_text(screen);
}

std::string block_table(const ProfileReport& report, const Screen& screen) {
  std::vector<const LayerLine*> blocks;
  for (const LayerLine& line : report.layers) {
    if (line.repeats > 1 && line.op.empty()) blocks.push_back(&line);
  }
  std::ranges::stable_sort(blocks, std::greater<>(), &LayerLine::work);
  if (blocks.empty()) return "  no layer repeats (--by tree lists all layers)\n";
  Table table = layer_columns(report);
  for (const LayerLine* line : blocks) add_layer(table, report, *line, 0, total_of(report));
  return table.to_text(screen);
}

std::string sparsity_table(const ProfileReport& report, std::size_t most, const Screen& screen) {
  Table table({{"weight", Align::kLeft, true},
               {"type", Align::kLeft, true},
               {"zeros", Align::kRight},
               {"pattern", Align::kLeft, true}});
  std::size_t shown = 0, left = 0;
  for (const SparseWeight& each : report.sparsity->weights) {
    if (each.problem.empty() && each.zeros == 0) continue;
    if (most > 0 && shown == most) {
      ++left;
      continue;
    }
    ++shown;
    table.add({printable(each.name), printable(each.type), fmt::format("{:.1f} %", 100 * each.ratio),
               each.problem.empty() ? pattern_text(each) : printable(each.problem)});
  }
  if (left > 0) table.add_remark(fmt::format("... {} more", left), "--top 0 lists all");
  return shown == 0 ? "  no weight has zeros\n" : table.to_text(screen);
}

}  // namespace onnxpress::cli

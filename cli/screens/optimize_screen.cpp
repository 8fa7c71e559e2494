// Renders the tables of ops, rewrites, nodes and models.
#include "cli/screens/optimize_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cli/arguments/flag_text.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"
#include "onnxpress/tasks/optimize/other_names.h"

namespace onnxpress::cli {

namespace {

using Align = Table::Align;

bool is_same(const OpChange& change) {
  if (change.before != change.after) return false;
  if (!change.costs_before || !change.costs_after) return true;
  return change.costs_before->macs == change.costs_after->macs &&
         change.costs_before->parameters == change.costs_after->parameters;
}

std::vector<std::string> row_of(const OpChange& each, bool costs) {
  const auto change = static_cast<std::int64_t>(each.after) - static_cast<std::int64_t>(each.before);
  std::vector<std::string> row = {printable(each.op), with_commas(each.before), with_commas(each.after),
                                  change == 0 ? "" : fmt::format("{:+}", change)};
  if (!costs) return row;
  const OpCosts before = each.costs_before.value_or(OpCosts());
  const OpCosts after = each.costs_after.value_or(OpCosts());
  for (const auto member : {&OpCosts::macs, &OpCosts::parameters}) {
    row.push_back(with_commas(before.*member));
    row.push_back(with_commas(after.*member));
  }
  row.push_back(human_bytes(before.weight_bytes));
  row.push_back(human_bytes(after.weight_bytes));
  return row;
}

std::string op_table(const OptimizeReport& report, const Screen& screen) {
  const bool costs = report.costs_before.has_value();
  std::vector<Table::Column> columns = {{"op", Align::kLeft, true},
                                        {"before", Align::kRight},
                                        {"after", Align::kRight},
                                        {"", Align::kRight, false, Ink::kGood}};
  for (const char* name : {"MACs", "after", "params", "after", "bytes", "after"}) {
    if (costs) columns.push_back({name, Align::kRight});
  }
  Table table(columns);
  constexpr std::size_t kMost = 200;  // a hostile file can have any number of ops
  std::size_t same = 0, shown = 0, more = 0;
  for (const OpChange& each : report.ops) {
    if (is_same(each)) {
      ++same;
    } else if (++shown > kMost) {
      ++more;
    } else {
      table.add(row_of(each, costs));
    }
  }
  if (table.empty()) return {};
  if (more > 0) table.add_remark(fmt::format("... {} that changed", counted(more, "more op", "more ops")), "");
  if (same > 0) table.add_remark(fmt::format("... {} as before", counted(same, "op", "ops")), "");
  return table.to_text(screen);
}

std::string rewrite_table(const OptimizeReport& report, const Screen& screen) {
  if (report.rewrites.empty()) return {};
  Table table({{"rewrite"}, {"count", Align::kRight}, {"", Align::kLeft, true, Ink::kFaint}});
  for (const RewriteCount& each : report.rewrites)
    table.add({printable(each.rewrite), with_commas(each.count), printable(each.summary)});
  return table.to_text(screen);
}

std::string costs_text(const OptimizeReport& report) {
  if (!report.costs_before || !report.costs_after) return {};
  const OpCosts &before = *report.costs_before, &after = *report.costs_after;
  return fmt::format("{} -> {} MACs, {} -> {} parameters ({} -> {}), {} -> {} read and written\n",
                     with_commas(before.macs), with_commas(after.macs), with_commas(before.parameters),
                     with_commas(after.parameters), human_bytes(before.weight_bytes), human_bytes(after.weight_bytes),
                     human_bytes(before.traffic), human_bytes(after.traffic));
}

std::string fate_text(const NodeFate& fate) {
  if (!fate.found) return fmt::format("{}: the model has no node and no value of that name\n", printable(fate.node));
  std::string out = fmt::format("{}: {}\n", printable(fate.node), fate.kept ? "kept" : "gone");
  for (const std::string& step : fate.steps) out += fmt::format("  {}\n", printable(step));
  if (fate.steps.empty() && !fate.kept) out += "  removed because nothing needed it any more, or renamed\n";
  for (const std::string& refusal : fate.refusals) out += fmt::format("  not {}\n", printable(refusal));
  return out;
}

std::string check_text(const OptimizeCheck& check) {
  std::string out;
  for (const std::string& each : check.left_out)
    out += fmt::format("left out: {}, which changed an output; please report this\n", printable(each));
  if (!check.done) return out + fmt::format("not verified: {}\n", printable(check.reason));
  return out + fmt::format(
                   "verified on {} in {}: outputs differ by at most {:.1e} (a change of the inputs by a millionth: "
                   "{:.1e})\n",
                   counted(check.runs, "input", "inputs"), fmt::join(check.runners, " and "), check.largest_difference,
                   check.floor);
}

}  // namespace

std::string rewrite_list(const Screen& screen) {
  Table table(
      {{"rewrite"}, {"group", Align::kLeft, false, Ink::kFaint}, {"keeps"}, {"what it does", Align::kLeft, true}});
  for (const RewriteInfo& each : rewrites()) {
    std::string group(each.group);
    std::ranges::replace(group, '_', ' ');
    table.add({std::string(each.name), std::move(group), std::string(each.exactness), std::string(each.summary)});
  }
  return table.to_text(screen, 0);
}

std::string optimize_screen(const OptimizeReport& report, bool explain, const Screen& screen) {
  const auto change = static_cast<std::int64_t>(report.nodes_after) - static_cast<std::int64_t>(report.nodes_before);
  std::string out = fmt::format("{}: {} -> {} ({:+}), {} -> {}\n", inked(printable(report.file), Ink::kStrong, screen),
                                counted(report.nodes_before, "node", "nodes"), with_commas(report.nodes_after), change,
                                human_bytes(report.bytes_before), human_bytes(report.bytes_after));
  out += costs_text(report);
  out += op_table(report, screen);
  out += rewrite_table(report, screen);
  if (explain) {
    for (const RewriteLine& step : report.steps)
      out += fmt::format("  {}: {} {} {}\n", printable(step.rewrite), printable(step.op), printable(step.node),
                         printable(step.text));
  }
  for (const NodeFate& fate : report.nodes) out += fate_text(fate);
  if (!report.looping.empty())
    out += inked(fmt::format("stopped: {} did not come to an end; please report this\n", printable(report.looping)),
                 Ink::kWarning, screen);
  for (const std::string& remark : report.remarks) out += fmt::format("note: {}\n", printable(with_flags(remark)));
  if (report.unchanged) out += "nothing to do: the result is the original\n";
  if (report.check) out += check_text(*report.check);
  if (!report.files.empty())
    out += fmt::format("{} in {:.2f} s\n", printable(report.files.front().path), report.seconds);
  return out;
}

std::string optimize_table(const std::vector<ReportRow<OptimizeReport>>& rows, const Screen& screen) {
  Table table({{"file", Align::kLeft, true},
               {"nodes", Align::kRight},
               {"after", Align::kRight},
               {"bytes", Align::kRight},
               {"after", Align::kRight},
               {"rewrites", Align::kRight},
               {"ms", Align::kRight}});
  for (const auto& row : rows) {
    if (!row.report) {
      table.add_remark(printable(row.file), "failed (see below)");
      continue;
    }
    const OptimizeReport& report = *row.report;
    table.add({printable(row.file), with_commas(report.nodes_before), with_commas(report.nodes_after),
               human_bytes(report.bytes_before), human_bytes(report.bytes_after), with_commas(report.steps.size()),
               fmt::format("{:.1f}", report.seconds * 1000)});
  }
  return table.to_text(screen, 0);
}

}  // namespace onnxpress::cli

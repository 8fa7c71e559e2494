// Renders a profile in at most 24 lines, unless the user asks for more.
#include "cli/screens/profile_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/screens/profile_tables.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

constexpr std::size_t kScreenLines = 24, kOpsOnScreen = 5, kNodesOnScreen = 8, kSymbolsOnScreen = 4;

std::string amount_text(const AmountLine& amount, Count count) {
  const std::string_view unit = count == Count::kFlop ? "FLOPs" : "MACs";
  const std::string_view rules = count == Count::kMac || count == Count::kFlop ? "" : word_of(count);
  std::string text = amount.value ? (amount.at_least ? "at least " : "") + with_unit(*amount.value, unit)
                                  : fmt::format("more than 2^63 {}, or not known", unit);
  if (!rules.empty()) text += fmt::format(", as {} counts", rules);
  if (amount.value && *amount.value >= 1000) text += fmt::format(" ({})", with_commas(*amount.value));
  return text;
}

// The formula in lines that fit, broken between terms.
std::vector<std::string> formula_lines(const std::string& formula, bool at_least, const Screen& screen) {
  constexpr std::size_t kLabel = 17, kMostLines = 3;
  const std::string sign = at_least ? ">=" : "=";
  const std::size_t room = screen.width > kLabel + 20 ? screen.width - kLabel : 20;
  std::vector<std::string> lines = {sign};
  std::size_t begin = 0;
  while (begin < formula.size()) {
    std::size_t end = formula.find(" + ", begin + 1);
    if (const std::size_t minus = formula.find(" - ", begin + 1); minus < end) end = minus;
    const std::string term = formula.substr(begin, std::min(end, formula.size()) - begin);
    if (display_width(lines.back()) + display_width(term) + 1 > room && lines.back() != sign &&
        lines.size() < kMostLines)
      lines.emplace_back(" ");
    lines.back() += (begin == 0 ? " " : "") + term;
    begin += term.size();
  }
  return lines;
}

bool is_formula(const AmountLine& amount) {
  return std::ranges::any_of(amount.formula, [](unsigned char c) { return std::isalpha(c) != 0; });
}

// Sizes of symbols that the figures depend on, those of the formula first.
std::string assumed_text(const ProfileReport& report) {
  std::vector<std::string> in_formula, others;
  for (const AssumedSize& each : report.assumed) {
    const bool used = report.work.formula.find(each.symbol) != std::string::npos;
    (used ? in_formula : others).push_back(fmt::format("{}={}", printable(each.symbol), each.size));
  }
  in_formula.insert(in_formula.end(), others.begin(), others.end());
  const std::size_t shown = std::min(in_formula.size(), kSymbolsOnScreen);
  std::string out =
      fmt::format("{}", fmt::join(in_formula.begin(), in_formula.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < in_formula.size()) out += fmt::format(" and {} more", in_formula.size() - shown);
  return out + " (--dim, --shape set them)";
}

std::string heaviest_op(const ProfileReport& report) {
  if (report.ops.empty() || report.ops.front().work == 0) return "";
  std::uint64_t all = 0;
  for (const OpProfile& op : report.ops) all += op.work;
  return fmt::format(", {} {}", printable(report.ops.front().op), percent(report.ops.front().work, all));
}

// Branches that are chosen at run time, those with the most work first.
void add_choices(Table& table, const ProfileReport& report) {
  constexpr std::size_t kMost = 2, kNameWidth = 28;
  const auto number = [](const AmountLine& line) { return line.value ? with_unit(*line.value, "MACs") : "? MACs"; };
  std::vector<const ChoiceLine*> choices;
  for (const ChoiceLine& each : report.choices) choices.push_back(&each);
  std::ranges::stable_sort(choices, std::greater<>(), [](const ChoiceLine* each) {
    return std::max(each->then_macs.value.value_or(0), each->else_macs.value.value_or(0));
  });
  for (std::size_t i = 0; i < choices.size() && i < kMost; ++i) {
    const ChoiceLine& each = *choices[i];
    const bool last = i + 1 == kMost && choices.size() > kMost;
    table.add({i == 0 ? "branches" : "",
               fmt::format("{}: then {}, else {}, {} counts{}", elided(printable(each.node), kNameWidth),
                           number(each.then_macs), number(each.else_macs), each.counted,
                           last ? fmt::format("; {} more", choices.size() - kMost) : "")});
  }
}

void add_sparsity(Table& table, const ProfileReport& report) {
  if (!report.sparsity) return;
  const SparsityProfile& all = *report.sparsity;
  table.add({"zeros", fmt::format("{} of weights; {} with nonzero weights ({})", percent(all.zeros, all.elements),
                                  with_unit(all.effective_macs, "MACs"),
                                  percent(all.effective_macs, report.macs.value.value_or(0)))});
}

void add_time(Table& table, const ProfileReport& report) {
  if (!report.time) return;
  const TimeProfile& time = *report.time;
  const double seconds = time.median_ms / 1000;
  std::string rate;
  if (report.flops.value && seconds > 0)
    rate = fmt::format(", {:.1f} GFLOP/s", static_cast<double>(*report.flops.value) / seconds / 1e9);
  table.add({"time", fmt::format("{:.2f} ms median, {:.2f} ms p90 of {} in ONNX Runtime {}{}", time.median_ms,
                                 time.p90_ms, counted(time.runs, "run", "runs"), printable(time.runtime), rate)});
}

void add_roof(Table& table, const ProfileReport& report) {
  if (!report.roof) return;
  const RoofProfile& roof = *report.roof;
  table.add({"roof", fmt::format("{:.2f} ms on {} ({:.0f} GFLOP/s, {:.1f} GB/s), {:.0f} % of it arithmetic{}",
                                 roof.milliseconds, printable(roof.device), roof.gflops_float, roof.gb_per_s,
                                 roof.milliseconds > 0 ? 100 * roof.compute_ms / roof.milliseconds : 0,
                                 roof.share ? fmt::format("; kernels reach {:.0f} %", 100 * *roof.share) : "")});
}

std::string totals(const ProfileReport& report, const Screen& screen) {
  Table table({{"", Table::Align::kLeft, false, Ink::kFaint}, {"", Table::Align::kLeft, true}});
  table.add({"compute", amount_text(report.work, report.count) + heaviest_op(report)});
  if (is_formula(report.work)) {
    for (std::string& line : formula_lines(printable(report.work.formula), report.work.at_least, screen))
      table.add({"", std::move(line)});
  }
  if (!report.too_large.empty())
    table.add({"too large", fmt::format("{} of more than 2^62 operations: not in the total",
                                        counted(report.too_large.size(), "node", "nodes"))});
  if (!report.assumed.empty()) table.add({"assumed", assumed_text(report)});
  add_choices(table, report);
  table.add(
      {"parameters", fmt::format("{} in {}, {}", with_commas(report.parameters),
                                 counted(report.tensors, "tensor", "tensors"), human_bytes(report.weight_bytes))});
  if (report.loaded_parameters / 2 > report.parameters)
    table.add({"", fmt::format("{} when they are computed, {}", with_commas(report.loaded_parameters),
                               human_bytes(report.loaded_bytes))});
  add_sparsity(table, report);
  table.add({"moved", fmt::format("{} read, {} written", report.read.value ? human_bytes(*report.read.value) : "?",
                                  report.written.value ? human_bytes(*report.written.value) : "?")});
  const MemoryProfile& memory = report.memory;
  table.add({"activations", fmt::format("peak {}{}, in a pool of {}", human_bytes(memory.peak),
                                        memory.peak_node.empty() ? "" : " at " + printable(memory.peak_node),
                                        human_bytes(memory.pool))});
  const std::string unknown =
      memory.unknown == 0 ? ""
                          : fmt::format(", without {} of unknown size", counted(memory.unknown, "value", "values"));
  table.add({"memory", fmt::format("{} with weights and inputs{}",
                                   human_bytes(memory.pool + memory.weights + memory.inputs), unknown)});
  add_time(table, report);
  add_roof(table, report);
  return table.to_text(screen);
}

std::size_t lines_in(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

std::string heading(const ProfileReport& report, const Screen& screen) {
  std::string rest = ": " + counted(report.nodes, "node", "nodes");
  for (std::size_t i = 0; i < report.inputs.size() && i < 3; ++i) rest += ", " + printable(report.inputs[i]);
  if (report.inputs.size() > 3) rest += ", ...";
  const std::string file = elided(printable(report.file), screen.width / 2);
  return inked(file, Ink::kStrong, screen) + elided(rest, screen.width - display_width(file)) + "\n";
}

std::string remarks(const ProfileReport& report, const Screen& screen) {
  if (report.unknown_ops.empty()) return "";
  constexpr std::size_t kMost = 8;
  std::string ops;
  for (std::size_t i = 0; i < report.unknown_ops.size() && i < kMost; ++i)
    ops += (ops.empty() ? "" : ", ") + printable(report.unknown_ops[i]);
  if (report.unknown_ops.size() > kMost) ops += fmt::format(" and {} more", report.unknown_ops.size() - kMost);
  std::string text = fmt::format("not counted, because their cost is unknown: {}  (describe it with --cost)\n", ops);
  const auto behind = std::ranges::count_if(
      report.node_list, [](const NodeProfile& node) { return node.known && node.counted && !node.work; });
  if (behind > 0)
    text += fmt::format("not counted, because their sizes are unknown: {}  (describe shapes with --custom-ops)\n",
                        counted(static_cast<std::size_t>(behind), "node", "nodes"));
  return inked(text, Ink::kWarning, screen);
}

// Do the names of nodes form layers? They do if some line has parts.
bool has_layers(const ProfileReport& report) {
  return std::ranges::any_of(report.layers, [](const LayerLine& line) { return line.depth > 0; });
}

std::string summary(const ProfileReport& report, const ProfileView& view, const Screen& screen) {
  std::string out = heading(report, screen) + totals(report, screen) + op_table(report, kOpsOnScreen, screen);
  const std::string end = remarks(report, screen);
  const std::size_t used = lines_in(out) + lines_in(end) + 1;  // and the title of the table below
  const std::size_t room = kScreenLines > used + 3 ? kScreenLines - used : 3;
  if (has_layers(report) && !view.top && view.sort == ProfileOrder::kWork) {
    out += layer_table(report, view.depth, std::min<std::size_t>(room, kNodesOnScreen), screen);
  } else {
    ProfileView shown = view;
    if (!shown.top) shown.top = std::min<std::size_t>(room, kNodesOnScreen);
    out += node_table(report, shown, screen);
  }
  return out + end;
}

}  // namespace

std::string short_number(std::uint64_t number) {
  std::string text = human_count(number);
  if (text.ends_with('B')) text.back() = 'G';  // human_count() writes B for a billion
  return text;
}

std::string with_unit(std::uint64_t number, std::string_view unit) {
  const std::string text = short_number(number);
  return text + (text.back() >= '0' && text.back() <= '9' ? " " : "") + std::string(unit);
}

std::string profile_screen(const ProfileReport& report, const ProfileView& view, const Screen& screen) {
  if (!view.by) {
    std::string out = summary(report, view, screen);
    if (report.sparsity) out += sparsity_table(report, view.top.value_or(kNodesOnScreen), screen);
    return out;
  }
  std::string out = heading(report, screen) + totals(report, screen);
  if (*view.by == ProfileTable::kOp) out += op_table(report, report.ops.size(), screen);
  if (*view.by == ProfileTable::kTree) out += layer_table(report, view.depth, report.layers.size(), screen);
  if (*view.by == ProfileTable::kNode) out += node_table(report, view, screen);
  if (*view.by == ProfileTable::kBlock) out += block_table(report, screen);
  if (report.sparsity) out += sparsity_table(report, view.top.value_or(0), screen);
  return out + remarks(report, screen);
}

}  // namespace onnxpress::cli

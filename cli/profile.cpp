// `onnxpress profile`: multiply-adds, parameters, bytes moved and memory of a model, by op and by node.
#include "onnxpress/tasks/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/cell_text.h"
#include "cli/cli.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/tasks/inputs/model_files.h"

namespace onnxpress::cli {

namespace {

struct Arguments {
  std::vector<std::string> models;
  std::string output;
  bool json = false, strict = false;
  struct View {
    std::optional<std::string> by;
    tasks::ProfileOrder sort = tasks::ProfileOrder::kWork;
    std::uint64_t top = 8;

    template <typename Visit>
    static void fields(Visit&& visit) {
      visit("by", &View::by, "what the table lists: op or node (default: the heaviest of both)");
      visit("sort", &View::sort, "order of nodes: work (default), params, memory or order (as in the model)");
      visit("top", &View::top, "how many nodes to list; 0 lists all (default 8)");
    }
  } view;
  tasks::ProfileOptions options;
};

constexpr std::size_t kOpsOnScreen = 5, kBarWidth = 20;

// "4.37 G": three digits and the prefixes of units.
std::string short_number(std::uint64_t number) {
  std::string text = human_count(number);
  if (text.ends_with('B')) text.back() = 'G';  // what counts call a billion
  return text;
}

std::string amount_text(const tasks::AmountLine& amount, std::string_view unit) {
  const std::string least = amount.at_least ? "at least " : "";
  if (!amount.value) return fmt::format("more than 2^63 {}, or not known: {}", unit, amount.formula);
  return fmt::format("{}{}{}", least, short_number(*amount.value), unit);
}

bool is_formula(const tasks::AmountLine& amount) {
  return std::ranges::any_of(amount.formula, [](unsigned char c) { return std::isalpha(c) != 0; });
}

std::string assumed_text(const tasks::ProfileReport& report) {
  std::string out;
  for (const tasks::AssumedSize& each : report.assumed)
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", printable(each.symbol), each.size);
  return out;
}

const tasks::AmountLine& work_of(const tasks::ProfileReport& report) {
  return report.count == tasks::Count::kMac ? report.macs : report.flops;
}

std::string totals(const tasks::ProfileReport& report, const Screen& screen) {
  const bool macs = report.count == tasks::Count::kMac;
  Table table({{"", Table::Align::kLeft, false, Ink::kFaint}, {"", Table::Align::kLeft, true}});
  std::string work = amount_text(work_of(report), macs ? "MACs" : "FLOPs");
  if (work_of(report).value) work += fmt::format(" ({})", with_commas(*work_of(report).value));
  table.add({"compute", work});
  if (is_formula(work_of(report))) table.add({"", "= " + printable(work_of(report).formula)});
  if (!report.assumed.empty())
    table.add({"assumed", assumed_text(report) + "  (--dim, --shape and --value set sizes)"});
  table.add(
      {"parameters", fmt::format("{} in {}, {}", with_commas(report.parameters),
                                 counted(report.tensors, "tensor", "tensors"), human_bytes(report.weight_bytes))});
  table.add({"moved", fmt::format("{} read, {} written", report.read.value ? human_bytes(*report.read.value) : "?",
                                  report.written.value ? human_bytes(*report.written.value) : "?")});
  const tasks::MemoryProfile& memory = report.memory;
  table.add({"activations", fmt::format("peak {}{}, in a pool of {}", human_bytes(memory.peak),
                                        memory.peak_node.empty() ? "" : " at " + printable(memory.peak_node),
                                        human_bytes(memory.pool))});
  table.add(
      {"memory", fmt::format("{} with weights and inputs{}", human_bytes(memory.pool + memory.weights + memory.inputs),
                             memory.unknown == 0 ? ""
                                                 : fmt::format(", without {} of unknown size",
                                                               counted(memory.unknown, "value", "values")))});
  return table.to_text(screen);
}

std::string op_table(const tasks::ProfileReport& report, std::size_t most, const Screen& screen) {
  using Align = Table::Align;
  const bool macs = report.count == tasks::Count::kMac;
  Table table({{"op", Align::kLeft, true},
               {"nodes", Align::kRight},
               {macs ? "MACs" : "FLOPs", Align::kRight},
               {"share", Align::kRight},
               {"params", Align::kRight},
               {"written", Align::kRight},
               {"", Align::kLeft, false, Ink::kGood}});
  std::uint64_t all = 0;
  for (const tasks::OpProfile& op : report.ops) all += macs ? op.macs : op.flops;
  for (std::size_t i = 0; i < report.ops.size() && i < most; ++i) {
    const tasks::OpProfile& op = report.ops[i];
    const std::uint64_t work = macs ? op.macs : op.flops;
    table.add({printable(op.op), with_commas(op.nodes), short_number(work), percent(work, all),
               short_number(op.parameters), human_bytes(op.written),
               bar(all == 0 ? 0 : static_cast<double>(work) / static_cast<double>(all), kBarWidth)});
  }
  if (report.ops.size() > most)
    table.add_remark(fmt::format("... {} more", report.ops.size() - most), "--by op lists all");
  return table.to_text(screen);
}

std::vector<const tasks::NodeProfile*> sorted_nodes(const tasks::ProfileReport& report, const Arguments& arguments) {
  std::vector<const tasks::NodeProfile*> nodes;
  for (const tasks::NodeProfile& node : report.node_list) nodes.push_back(&node);
  const auto key = [&](const tasks::NodeProfile* node) -> std::uint64_t {
    if (arguments.view.sort == tasks::ProfileOrder::kParameters) return node->parameters;
    if (arguments.view.sort == tasks::ProfileOrder::kMemory) return node->live;
    if (!node->counted) return 0;
    return (report.count == tasks::Count::kMac ? node->macs : node->flops).value_or(0);
  };
  if (arguments.view.sort != tasks::ProfileOrder::kOrder) std::ranges::stable_sort(nodes, std::greater<>(), key);
  return nodes;
}

std::string node_table(const tasks::ProfileReport& report, const Arguments& arguments, const Screen& screen) {
  using Align = Table::Align;
  const bool macs = report.count == tasks::Count::kMac;
  Table table({{"node", Align::kLeft, true},
               {"op", Align::kLeft},
               {macs ? "MACs" : "FLOPs", Align::kRight},
               {"share", Align::kRight},
               {"params", Align::kRight},
               {"alive", Align::kRight},
               {"output", Align::kLeft, true}});
  const std::uint64_t all = work_of(report).value.value_or(0);
  const auto nodes = sorted_nodes(report, arguments);
  const std::size_t most =
      arguments.view.top == 0 ? nodes.size() : std::min<std::size_t>(arguments.view.top, nodes.size());
  for (std::size_t i = 0; i < most; ++i) {
    const tasks::NodeProfile& node = *nodes[i];
    const auto work = macs ? node.macs : node.flops;
    const std::string count = !node.known ? "unknown" : work ? short_number(*work) : "?";
    table.add({std::string(2 * std::min<std::size_t>(node.depth, 8), ' ') + printable(node.name), printable(node.op),
               node.counted ? count + (node.estimate ? " ~" : "") : "(" + count + ")",
               node.counted && work ? percent(*work, all) : "", short_number(node.parameters),
               node.depth == 0 ? human_bytes(node.live) : "",
               node.outputs.empty() ? "" : printable(node.outputs.front())});
  }
  return table.to_text(screen);
}

std::string profile_screen(const tasks::ProfileReport& report, const Arguments& arguments, const Screen& screen) {
  std::string out = fmt::format("{}: {}", inked(printable(report.file), Ink::kStrong, screen),
                                counted(report.nodes, "node", "nodes"));
  for (std::size_t i = 0; i < report.inputs.size() && i < 3; ++i) out += ", " + printable(report.inputs[i]);
  out += report.inputs.size() > 3 ? ", ...\n" : "\n";
  const std::string by = arguments.view.by.value_or("");
  out += totals(report, screen);
  if (by != "node") out += op_table(report, by == "op" ? report.ops.size() : kOpsOnScreen, screen);
  if (by != "op") out += node_table(report, arguments, screen);
  if (!report.unknown_ops.empty()) {
    std::string ops;
    for (const std::string& each : report.unknown_ops) ops += (ops.empty() ? "" : ", ") + printable(each);
    out += inked(fmt::format("not counted, since nothing is known about their cost: {}\n", ops), Ink::kWarning, screen);
  }
  return out;
}

std::string comparison_screen(const std::vector<tasks::ProfileRow>& rows, const Screen& screen) {
  using Align = Table::Align;
  Table table({{"file", Align::kLeft, true},
               {"nodes", Align::kRight},
               {"MACs", Align::kRight},
               {"FLOPs", Align::kRight},
               {"params", Align::kRight},
               {"weights", Align::kRight},
               {"peak", Align::kRight},
               {"pool", Align::kRight},
               {"ms", Align::kRight}});
  for (const tasks::ProfileRow& row : rows) {
    if (!row.report) {
      table.add_remark(printable(row.file), "cannot be read (see below)");
      continue;
    }
    const tasks::ProfileReport& report = *row.report;
    const auto number = [](const tasks::AmountLine& line) {
      return line.value ? (line.at_least ? ">= " : "") + short_number(*line.value) : "?";
    };
    table.add({printable(row.file), with_commas(report.nodes), number(report.macs), number(report.flops),
               short_number(report.parameters), human_bytes(report.weight_bytes), human_bytes(report.memory.peak),
               human_bytes(report.memory.pool), fmt::format("{:.1f}", report.seconds * 1000)});
  }
  return table.to_text(screen, 0);
}

int show_several(const std::vector<std::string>& paths, const Arguments& arguments) {
  if (!arguments.output.empty()) throw UsageError("-o writes the profile of one model", "name one model");
  ProgressBar bar("profiling", ProgressBar::Label::kStays);
  const std::vector<tasks::ProfileRow> rows = tasks::profile(paths, arguments.options);
  bar.clear();
  print(arguments.json ? to_json(rows) : comparison_screen(rows, standard_output()));
  int code = kDone;
  for (const tasks::ProfileRow& row : rows) {
    if (!row.report) code = kBadInput;
    if (!row.report && !arguments.json) talk_error(row.error, row.hint);
  }
  return code;
}

void write_text(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

int run(const Arguments& arguments) {
  const std::string by = arguments.view.by.value_or("op");
  if (by != "op" && by != "node") throw UsageError("--by takes op or node, not '" + by + "'");
  const tasks::Inputs inputs = tasks::expand_inputs(arguments.models);
  if (inputs.several) return show_several(inputs.paths, arguments);
  const bool csv = arguments.output.ends_with(".csv"), json = arguments.output.ends_with(".json"),
             text = arguments.output.ends_with(".txt");
  if (!arguments.output.empty() && !csv && !json && !text)
    throw UsageError("-o writes .csv, .json or .txt, not '" + arguments.output + "'", "end its name in one of these");
  ProgressBar bar("reading");
  const tasks::ProfileReport report = tasks::profile(inputs.paths.front(), arguments.options);
  bar.clear();
  if (csv) write_text(arguments.output, to_csv(report));
  if (json) write_text(arguments.output, to_json(report));
  if (text) {
    Arguments all = arguments;
    all.view.top = 0;
    write_text(arguments.output, profile_screen(report, all, Screen{}));
  }
  print(arguments.json ? to_json(report) : profile_screen(report, arguments, standard_output()));
  return arguments.strict && !report.unknown_ops.empty() ? kNo : kDone;
}

}  // namespace

Action add_profile(Command& command) {
  auto arguments = std::make_shared<Arguments>();
  add_file_argument(
      command, "MODEL", arguments->models,
      "models (.onnx, .onnxtxt, .json, - for standard input), folders and patterns: several give a table");
  add_file(command, {"-o", "--output"}, arguments->output,
           "also write the profile: .csv (one row a node), .json or .txt");
  add_options(command, arguments->view);
  add_options(command, arguments->options);
  add_flag(command, "--strict", arguments->strict, "exit code 1 when the cost of an op is not known");
  add_flag(command, "--json", arguments->json, "the whole report as JSON (docs/profile.md lists the fields)");
  return [arguments] { return run(*arguments); };
}

}  // namespace onnxpress::cli

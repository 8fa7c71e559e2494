// `onnxpress memory`: plans where each activation goes in one pool, and finds a better order of nodes.
#include "onnxpress/tasks/report/field_lists/memory.h"

#include <algorithm>

#include "cli/commands/one_model.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/tasks/jobs/ask_files.h"

namespace onnxpress::cli {

namespace {

struct MemoryArguments : OneModel<MemoryOptions> {
  std::uint64_t top = 10;
};

std::string assumed_text(const MemoryReport& report) {
  std::string out;
  for (std::size_t i = 0; i < report.assumed.size() && i < 4; ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : ", ", printable(report.assumed[i].symbol), report.assumed[i].size);
  if (report.assumed.size() > 4) out += fmt::format(" and {} more", report.assumed.size() - 4);
  return out + " (--dim, --shape set them)";
}

std::string ratio_text(const MemoryReport& report) {
  if (report.peak == 0) return "";
  return fmt::format(", {:.3f} x the peak", static_cast<double>(report.pool) / static_cast<double>(report.peak));
}

std::string order_text(const MemoryReport& report) {
  const std::string best = report.optimal_order ? "; no order has a lower peak" : "";
  if (report.peak >= *report.peak_before) return "the order of the file is kept" + best;
  return fmt::format("peak {} instead of {}{}", human_bytes(report.peak), human_bytes(*report.peak_before), best);
}

std::string memory_screen(const MemoryReport& report, std::uint64_t top, const Screen& screen) {
  using Align = Table::Align;
  Table totals({{"", Align::kLeft, false, Ink::kFaint}, {"", Align::kLeft, true}});
  totals.add({"pool", exact_bytes(report.pool) + ratio_text(report)});
  totals.add({"peak", fmt::format("{}{}; {} if no memory is shared", human_bytes(report.peak),
                                  report.peak_node.empty() ? "" : " at " + printable(report.peak_node),
                                  human_bytes(report.plain_peak))});
  totals.add({"all values", fmt::format("{} in {}", human_bytes(report.activations),
                                        counted(report.values.size(), "value", "values"))});
  totals.add({"in all", fmt::format("{} with {} of weights and {} of inputs",
                                    human_bytes(report.pool + report.weights + report.inputs),
                                    human_bytes(report.weights), human_bytes(report.inputs))});
  if (!report.assumed.empty()) totals.add({"assumed", assumed_text(report)});
  if (report.peak_before) totals.add({"order", order_text(report)});
  if (!report.unknown.empty())
    totals.add({"unknown",
                fmt::format("{} of unknown size, not in the pool", counted(report.unknown.size(), "value", "values"))});
  Table table({{"value", Align::kLeft, true},
               {"type", Align::kLeft, true},
               {"offset", Align::kRight},
               {"bytes", Align::kRight},
               {"nodes", Align::kLeft},
               {"", Align::kLeft, false, Ink::kFaint}});
  std::vector<const PlacedValue*> values;
  for (const PlacedValue& each : report.values) values.push_back(&each);
  if (top > 0) std::ranges::stable_sort(values, std::greater<>(), [](const PlacedValue* each) { return each->bytes; });
  const std::size_t most = top == 0 ? values.size() : std::min<std::size_t>(top, values.size());
  for (std::size_t i = 0; i < most; ++i)
    table.add({printable(values[i]->name), printable(values[i]->type), with_commas(values[i]->offset),
               with_commas(values[i]->bytes), fmt::format("{}-{}", values[i]->first, values[i]->last),
               values[i]->shares});
  if (most < values.size())
    table.add_remark(fmt::format("... {} more", values.size() - most), "--top 0 lists all in order");
  return fmt::format("{}: {}\n", inked(printable(report.file), Ink::kStrong, screen),
                     counted(report.nodes, "node", "nodes")) +
         totals.to_text(screen) + table.to_text(screen);
}

int run_memory(const MemoryArguments& arguments) {
  const std::string& output = arguments.output;
  const bool json = output.ends_with(".json"), header = output.ends_with(".h"), model = output.ends_with(".onnx");
  if (!output.empty() && !json && !header && !model)
    throw UsageError("-o writes .json, .h or, with --reorder, .onnx, not '" + output + "'",
                     "use a name that ends in one of these");
  if (model && !arguments.options.reorder) throw UsageError("-o MODEL.onnx needs --reorder", "add --reorder");
  const MemoryReport report = model ? change_file(arguments.input, {.output = output, .load = arguments.options.load},
                                                  [&](Model& each) { return reorder(each, arguments.options); })
                                    : plan_memory_of_file(arguments.input, arguments.options);
  if (json || header) write_file(output, json ? to_json(report) : to_c_header(report));
  print(arguments.json ? to_json(report) : memory_screen(report, arguments.top, standard_output()));
  return kDone;
}

}  // namespace

Action add_memory(Command& command) {
  auto arguments = std::make_shared<MemoryArguments>();
  add_file_argument(command, "MODEL", arguments->input, "model (.onnx, .onnxtxt, .json, - for standard input)");
  add_file(command, {"-o", "--output"}, arguments->output,
           "write the plan as .json or .h (a C header) or, with --reorder, the reordered model as .onnx");
  add_options(command, arguments->options);
  command.add(detail::option_of("top", arguments->top)).help =
      "how many values to list, largest first; 0 lists all in order (default 10)";
  add_json(command, arguments->json);
  return [arguments] { return run_memory(*arguments); };
}

}  // namespace onnxpress::cli

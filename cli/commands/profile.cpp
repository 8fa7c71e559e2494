// `onnxpress profile`: counts multiply-adds, parameters, bytes moved and memory of a model, by op, layer and node.
#include "onnxpress/tasks/profile/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/commands/one_model.h"
#include "cli/pages/profile_page.h"
#include "cli/pages/report_page.h"
#include "cli/screens/profile_screen.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/tasks/jobs/ask_files.h"
#include "onnxpress/tasks/profile/measure_device.h"
#include "onnxpress/tasks/profile/profile_outputs.h"
#include "onnxpress/tasks/profile/roofline.h"
#include "onnxpress/tasks/profile/time_profile.h"

namespace onnxpress::cli {

namespace {

struct ProfileArguments {
  std::vector<std::string> models;
  std::string output, against, fail_over, report;
  bool json = false, strict = false, time = false;
  std::uint64_t runs = 0, time_threads = 0;
  ProfileView view;
  ProfileOptions options;
};

enum class OutputFormat { kNone, kCsv, kJson, kText, kMarkdown, kTrace, kModel };

OutputFormat output_format(const std::string& output) {
  if (output.empty()) return OutputFormat::kNone;
  if (output.ends_with(".trace.json")) return OutputFormat::kTrace;
  if (output.ends_with(".csv")) return OutputFormat::kCsv;
  if (output.ends_with(".json")) return OutputFormat::kJson;
  if (output.ends_with(".txt")) return OutputFormat::kText;
  if (output.ends_with(".md")) return OutputFormat::kMarkdown;
  if (output.ends_with(".onnx") || output.ends_with(".onnxtxt")) return OutputFormat::kModel;
  throw UsageError("-o writes .csv, .json, .txt, .md, .trace.json or .onnx, not '" + output + "'",
                   "use a name that ends in one of these");
}

// "2%", "2 %" or "0.02".
double share_of(const std::string& text) {
  std::string number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.pop_back();
  std::size_t used = 0;
  double value = std::numeric_limits<double>::quiet_NaN();
  try {
    value = std::stod(number, &used);
  } catch (const std::exception&) {
    used = std::string::npos;
  }
  while (used < number.size() && number[used] == ' ') ++used;
  if (used != number.size() || !(value >= 0) || !std::isfinite(value))
    throw UsageError("--fail-over takes a share such as 2%, not '" + text + "'");
  return percent ? value / 100 : value;
}

std::string text_of(const ProfileReport& report, OutputFormat format, const ProfileArguments& arguments) {
  switch (format) {
    case OutputFormat::kCsv:
      return to_csv(report);
    case OutputFormat::kJson:
      return to_json(report);
    case OutputFormat::kMarkdown:
      return to_markdown(report);
    case OutputFormat::kTrace:
      return to_trace(report);
    default: {
      ProfileView all = arguments.view;
      if (!all.top) all.top = 0;
      return profile_screen(report, all, Screen{});
    }
  }
}

int show_several(const std::vector<std::string>& paths, ProfileArguments& arguments) {
  if (!arguments.output.empty() || !arguments.against.empty() || !arguments.report.empty() || arguments.time)
    throw UsageError("-o, --report, --time and --against work for one model only", "name one model");
  arguments.options.details = arguments.json;
  ProgressBar bar("profiling", ProgressBar::Label::kStays);
  const std::vector<ProfileRow> rows =
      report_on_each(paths, [&](const std::string& path) { return profile_file(path, arguments.options); });
  bar.clear();
  return tell_rows(rows, arguments.json, profile_table);
}

int compare(const ProfileReport& report, const ProfileArguments& arguments) {
  const ProfileReport before = profile_file(arguments.against, arguments.options);
  const ProfileDifference difference = compare_profiles(before, report);
  print(arguments.json ? to_json(difference) : difference_screen(difference, standard_output()));
  if (arguments.fail_over.empty()) return kDone;
  const double growth = largest_growth(difference), most = share_of(arguments.fail_over);
  if (growth <= most) return kDone;
  talk_error(std::isinf(growth)
                 ? "a figure that was 0 no longer is"
                 : fmt::format("a figure grew by {:.1f} %, more than {:.1f} %", 100 * growth, 100 * most),
             "");
  return kNo;
}

template <typename Complete>
ProfileReport completed(ProfileReport report, const Complete& complete) {
  complete(report);
  return report;
}

int run_profile(ProfileArguments& arguments) {
  if (!arguments.fail_over.empty()) {
    share_of(arguments.fail_over);
    if (arguments.against.empty()) throw UsageError("--fail-over needs --against");
  }
  const Inputs inputs = expand_inputs(arguments.models);
  if (inputs.several) return show_several(inputs.paths, arguments);
  const OutputFormat format = output_format(arguments.output);
  const std::string& model = inputs.paths.front();
  arguments.options.operand_types = arguments.json || format != OutputFormat::kNone;
  if (!arguments.report.empty()) require_page_name(arguments.report, {model, arguments.output, arguments.against});
  const auto complete = [&](ProfileReport& made) {
    if (!arguments.time) return;
    const auto engine = engines::OnnxRuntime::find();
    const int threads = static_cast<int>(std::min<std::uint64_t>(arguments.time_threads, 1024));
    add_times(engine, model, arguments.options, {arguments.runs, threads}, made);
    const auto& device = arguments.options.device;
    add_roof(device ? load_device(*device) : at_least_as_reached(measure_device(engine, threads), made), made);
  };
  ProgressBar bar("reading");
  const auto annotate = [&](Model& each) {
    ProfileReport made = completed(onnxpress::profile(each, arguments.options), complete);
    onnxpress::annotate(each, made, arguments.options);
    return made;
  };
  const ProfileReport report =
      format == OutputFormat::kModel
          ? change_file(model, {.output = arguments.output, .load = arguments.options.load}, annotate)
          : completed(profile_file(model, arguments.options), complete);
  bar.clear();
  if (format != OutputFormat::kNone && format != OutputFormat::kModel)
    write_file(arguments.output, text_of(report, format, arguments));
  if (!arguments.report.empty()) write_file(arguments.report, profile_page(report));
  if (!arguments.against.empty()) return compare(report, arguments);
  print(arguments.json ? to_json(report) : profile_screen(report, arguments.view, standard_output()));
  return arguments.strict && report.work.at_least ? kNo : kDone;
}

}  // namespace

Action add_profile(Command& command) {
  auto arguments = std::make_shared<ProfileArguments>();
  add_file_argument(command, "MODEL", arguments->models, kTableOfModels);
  add_file(command, {"-o", "--output"}, arguments->output,
           "also write the profile: .csv (one row per node), .json, .txt, .md, .trace.json (Chrome, Perfetto), or "
           ".onnx (the model with its costs as metadata)");
  add_options(command, arguments->view);
  add_options(command, arguments->options);
  add_file(command, {"--report"}, arguments->report,
           "also write a page for a browser: a map, layers, memory over time and all nodes");
  add_flag(command, "--time", arguments->time, "run the model in ONNX Runtime and measure every node");
  command.add(detail::option_of("runs", arguments->runs)).help =
      "with --time: how many runs (default: as many as fit into half a second, at least 5)";
  command.add(detail::option_of("time_threads", arguments->time_threads)).help =
      "with --time: threads that ONNX Runtime uses (default: it decides)";
  add_file(command, {"--against"}, arguments->against, "compare with the profile of another model");
  command.add(detail::option_of("fail_over", arguments->fail_over)).help =
      "with --against: exit code 1 if work, parameters, bytes or memory grew by more than this share (2%)";
  add_flag(command, "--strict", arguments->strict, "exit code 1 if some work is not known");
  add_json(command, arguments->json);
  return [arguments] { return run_profile(*arguments); };
}

}  // namespace onnxpress::cli

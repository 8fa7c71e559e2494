// `onnxpress convert`: writes a model in another form, and reports what was written and what was lost.
#include "onnxpress/tasks/files/convert.h"

#include <algorithm>
#include <vector>

#include "cli/commands/one_model.h"

namespace onnxpress::cli {

namespace {

using ConvertArguments = OneModel<ConvertOptions>;

// Throws UsageError or OptionError for options that cannot be combined, or that do not fit the output.
void require_sensible(const ConvertArguments& arguments) {
  const ConvertOptions& options = arguments.options;
  if (arguments.output.empty()) throw UsageError("OUT is missing", "name the output file; - is standard output");
  const bool external = options.weights.external_data.has_value();
  if (external && format_of_name(*options.weights.external_data)) {
    throw UsageError(
        fmt::format("--external-data would put the weights into '{}'", printable(*options.weights.external_data)),
        "put --external-data after the files, or write --external-data=NAME");
  }
  require_sense(arguments.output, options);
  if (arguments.json && arguments.output == "-")
    throw UsageError("--json and an output of '-' would both use standard output");
}

std::string stripped_text(const StripReport& stripped) {
  std::vector<std::string> parts;
  const auto part = [&parts](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(counted(count, one, many));
  };
  part(stripped.names, "node name", "node names");
  part(stripped.docs, "documentation text", "documentation texts");
  part(stripped.metadata, "metadata property", "metadata properties");
  part(stripped.value_infos, "value declaration", "value declarations");
  return fmt::format("{}", fmt::join(parts, ", "));
}

void tell_notes(const ConvertReport& report, const ConvertOptions& options) {
  const Screen screen = standard_error();
  const auto note = [&screen](const std::string& text) {
    talk(fmt::format("{} {}\n", inked("note:", Ink::kWarning, screen), text));
  };
  if (!report.files.empty() && report.files.front().path != "-") tell_files(report.files);
  if (const std::string stripped = stripped_text(report.stripped); !stripped.empty())
    talk(fmt::format("removed {}\n", stripped));
  if (report.repairs > 0) talk(fmt::format("made {}\n", counted(report.repairs, "repair", "repairs")));
  if (report.sorted_graphs > 0 && !options.repair)
    note(fmt::format("the nodes of {} were not in topological order; they are sorted in the output",
                     counted(report.sorted_graphs, "graph", "graphs")));
  if (!report.header.empty())
    note(fmt::format("the text does not state its versions; the output has {}, chosen for its operators",
                     report.header));
  if (report.kept_inside > 0) {
    note(fmt::format("{} inside although {} over the threshold: shape inference reads {}",
                     report.kept_inside == 1 ? "1 tensor stays" : fmt::format("{} tensors stay", report.kept_inside),
                     report.kept_inside == 1 ? "it is" : "they are", report.kept_inside == 1 ? "it" : "them"));
  }
  if (report.moved_to_external)
    note("in one file the model would be over 2 GiB, so its weights are in an external file");
  if (options.weights.external_data && report.files.size() == 1) {
    note(fmt::format("no weight was moved: none {}has {} bytes or more",
                     options.weights.external_attributes ? "" : "outside nodes (see --external-attributes) ",
                     options.weights.external_threshold));
  }
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(report.lost.size(), kShown); ++i) note("lost: " + printable(report.lost[i]));
  if (report.lost.size() > kShown) note(fmt::format("lost: {} more (--json lists them)", report.lost.size() - kShown));
}

int run_convert(const ConvertArguments& arguments) {
  require_sensible(arguments);
  ProgressBar bar("reading");
  ConvertStreams streams;
  streams.standard_output = print;
  streams.progress = bar.shower();
  const ConvertReport report = convert(arguments.input, arguments.output, arguments.options, streams);
  bar.clear();
  if (arguments.json) {
    print(to_json(report));
  } else {
    tell_notes(report, arguments.options);
  }
  return kDone;
}

}  // namespace

Action add_convert(Command& command) {
  auto arguments = std::make_shared<ConvertArguments>();
  add_file_argument(command, "IN", arguments->input, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_file(command, {"OUT"}, arguments->output, "the result; may be the same file; - for standard output");
  add_file(command, {"-o", "--output"}, arguments->output, "the same as OUT");
  add_options(command, arguments->options);
  Option& strip =
      command.add(detail::option_of_words("strip", words_of<Strippable>(), true, [arguments](std::size_t i) {
        arguments->options.strip.set(Words<Strippable>::kAll[i].second);
      }));
  strip.help = "remove several kinds at once";
  strip.group = StripOptions::kTitle;
  add_flag(command, "--json", arguments->json,
           "print as JSON what was written and what was lost (docs/commands/convert.md lists the fields)");
  return [arguments, &command] {
    require_one_output(command);
    return run_convert(*arguments);
  };
}

}  // namespace onnxpress::cli

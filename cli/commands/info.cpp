// `onnxpress info`: shows what is in a model, on one screen; several models make a table.
#include "onnxpress/tasks/inspect/info.h"

#include "cli/commands/one_model.h"
#include "cli/screens/info_screen.h"
#include "onnxpress/tasks/jobs/ask_files.h"

namespace onnxpress::cli {

namespace {

using InfoArguments = ModelList<InfoOptions>;

// Finding duplicates needs all weights. If some cannot be read, the answer is incomplete, and scripts must notice that.
bool is_incomplete(const std::string& path, const InfoReport& report) {
  if (!report.duplicates || report.duplicates->unreadable.empty()) return false;
  const auto& unreadable = report.duplicates->unreadable;
  talk_error(fmt::format("{}: {} of the weights could not be read, first {}: {}", path, unreadable.size(),
                         quote_name(unreadable.front().name), unreadable.front().reason));
  return true;
}

int show_info(const std::string& path, const InfoArguments& arguments) {
  const InfoReport report = info_file(path, arguments.options);
  print(arguments.json ? to_json(report) : info_screen(report, arguments.options, standard_output()));
  return is_incomplete(path, report) ? kBadInput : kDone;
}

int show_infos(const std::vector<std::string>& paths, const InfoArguments& arguments) {
  const std::vector<InfoRow> rows =
      report_on_each(paths, [&](const std::string& path) { return info_file(path, arguments.options); });
  if (arguments.json) {
    print(to_json(rows));
  } else if (arguments.options.tensors || arguments.options.interface) {
    for (const InfoRow& row : rows) {
      if (row.report) print(info_screen(*row.report, arguments.options, standard_output()) + "\n");
    }
  } else {
    print(comparison_screen(rows, arguments.options, standard_output()));
  }
  int code = kDone;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const InfoRow& row = rows[i];
    if (!row.report || is_incomplete(paths[i], *row.report)) code = kBadInput;
    if (!row.report && !arguments.json) talk_error(row.error, row.hint);
  }
  return code;
}

}  // namespace

Action add_info(Command& command) { return add_question(command, show_info, show_infos); }

}  // namespace onnxpress::cli

// Reports on several models, one by one, so that a model that cannot be read does not stop the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/base/option_error.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// One of several models: its report, or why there is none.
template <typename Report>
struct ReportRow {
  std::string file, error, hint;
  std::optional<Report> report;
};

// Such a row in JSON, when there is no report.
struct FailedRow {
  std::string file, error, hint;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &FailedRow::file, "path of the input");
    visit("error", &FailedRow::error, "what is wrong with it");
    visit("hint", &FailedRow::hint, "what to do");
  }
};

// `look` gives the report on a path, or throws Error.
template <typename Look>
auto report_on_each(const std::vector<std::string>& paths, const Look& look) {
  std::vector<ReportRow<decltype(look(paths.front()))>> rows(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    rows[i].file = paths[i];
    try {
      rows[i].report = look(paths[i]);
    } catch (const OptionError&) {
      throw;  // it is wrong for every model
    } catch (const Error& error) {
      rows[i].error = error.what();
      rows[i].hint = error.hint();
    }
  }
  return rows;
}

}  // namespace onnxpress

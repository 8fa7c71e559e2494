// Turns reports that list their fields (tasks/report/fields.h) into JSON.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "onnxpress/tasks/report/report_sink.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress {

// The JSON text of what `write` passes to the sink, indented by 2, with a line end. Names in a hostile file need not be
// UTF-8, but JSON must be: invalid parts become U+FFFD.
std::string json_text_of(const std::function<void(ReportSink&)>& write);

template <typename Report>
std::string json_text(const Report& report) {
  return json_text_of([&report](ReportSink& sink) { write_report(report, sink); });
}

// {"models": [...]}: the report on each, or why there is none.
template <typename Report>
std::string json_text_of_rows(const std::vector<ReportRow<Report>>& rows) {
  return json_text_of([&rows](ReportSink& sink) {
    sink.begin_object();
    sink.key("models");
    sink.begin_list();
    for (const ReportRow<Report>& row : rows) {
      if (row.report) {
        write_report(*row.report, sink);
      } else {
        write_report(FailedRow{row.file, row.error, row.hint}, sink);
      }
    }
    sink.end_list();
    sink.end_object();
  });
}

}  // namespace onnxpress

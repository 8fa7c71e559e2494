// The table of a bench for spreadsheets: plain numbers, empty cells where there is none.
#include <fmt/format.h>

#include "onnxpress/tasks/bench/bench.h"
#include "onnxpress/tasks/report/report_sink.h"

namespace onnxpress {

namespace {

// Writes the fields of a row as CSV cells.
class CsvSink : public ReportSink {
 public:
  void begin_object() override {}
  void key(std::string_view name) override { titles += (titles.empty() ? "" : ",") + std::string(name); }
  void end_object() override {}
  void begin_list() override {}
  void end_list() override {}
  void text(std::string_view value) override {
    std::string cell(value);
    if (value.find_first_of(",\"\n\r") != std::string_view::npos) {
      cell = "\"";
      for (const char c : value) cell += c == '"' ? "\"\"" : std::string(1, c);
      cell += "\"";
    }
    add(cell);
  }
  void integer(std::int64_t value) override { add(std::to_string(value)); }
  void natural(std::uint64_t value) override { add(std::to_string(value)); }
  void real(double value) override { add(fmt::format("{}", value)); }
  void boolean(bool value) override { add(value ? "1" : "0"); }
  void nothing() override { add(""); }

  std::string titles, cells;

 private:
  void add(const std::string& cell) {
    cells += (empty_ ? "" : ",") + cell;
    empty_ = false;
  }
  bool empty_ = true;
};

}  // namespace

std::string to_csv(const BenchReport& report) {
  std::string titles, rows;
  for (const BenchRow& row : report.rows) {
    CsvSink sink;
    write_report(row, sink);
    titles = sink.titles;
    rows += sink.cells + "\n";
  }
  return titles + "\n" + rows;
}

}  // namespace onnxpress

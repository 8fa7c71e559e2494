// Aligned tables and bars in plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/screen.h"

namespace onnxpress::cli {

class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    // When the table is too wide, cells of these columns are shortened, the widest column first: they lose the
    // beginning that they have in common, and then their middle.
    bool shrinks = false;
    Ink ink = Ink::kPlain;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Cells are shown as they are: untrusted text must go through printable() first. Missing cells are empty.
  void add(std::vector<std::string> cells) { rows_.push_back(Row{std::move(cells), {}}); }
  // A row that has one long text after its first cell, such as an error. It may be longer than the table is wide.
  void add_remark(std::string first, std::string remark);
  bool empty() const { return rows_.empty(); }

  // Lines of at most `screen.width` columns, each indented and ended with a newline. If eliding is not enough, the last
  // columns are left out, so important ones should come first. Titles are left out when all are empty.
  std::string to_text(const Screen& screen, std::size_t indent = 2) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string remark;
  };
  std::vector<std::size_t> widths(std::size_t available) const;
  Table without_columns_that_do_not_fit(std::size_t available) const;
  Table without_common_prefixes(const std::vector<std::size_t>& widths) const;
  std::string laid_out(const std::vector<std::size_t>& widths, const Screen& screen, std::size_t indent) const;
  void append_row(std::string& out, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                  const Screen& screen, bool title) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Short cells side by side in columns, top to bottom, as `ls` does.
std::string in_columns(const std::vector<std::string>& cells, const Screen& screen, std::size_t indent = 2);

// A bar of at most `width` columns, in eighths: "███▌".
std::string bar(double share, std::size_t width);

}  // namespace onnxpress::cli

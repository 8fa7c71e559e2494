// Lays out tables: columns get their natural widths, then the widest shrinkable column shrinks until the line fits.
#include "cli/terminal/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cli/terminal/cell_text.h"

namespace onnxpress::cli {

namespace {

constexpr std::size_t kGap = 2;             // spaces between columns
constexpr std::size_t kLeastShrunken = 12;  // a narrower elided cell would be useless
constexpr std::size_t kLeastColumns = 3;    // a table with fewer columns would be useless, too

std::size_t whole_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

std::string padding(std::size_t count) { return std::string(count, ' '); }

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

void Table::add_remark(std::string first, std::string remark) {
  rows_.push_back(Row{{std::move(first)}, std::move(remark)});
}

std::vector<std::size_t> Table::widths(std::size_t available) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < std::min(row.cells.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], display_width(row.cells[i]));
    }
  }
  std::size_t total = whole_width(widths);
  while (total > available) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool can = columns_[i].shrinks && widths[i] > kLeastShrunken;
      if (can && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) break;
    // Shrinking to the next widest at once would be faster, but no column is ever wide enough for that to matter.
    --widths[widest];
    --total;
  }
  return widths;
}

void Table::append_row(std::string& out, const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                       const Screen& screen, bool title) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string cell = i < cells.size() ? elided(cells[i], widths[i]) : std::string();
    const std::string pad = padding(widths[i] - std::min(widths[i], display_width(cell)));
    const std::string text = inked(cell, title ? Ink::kFaint : columns_[i].ink, screen);
    if (i > 0) out += padding(kGap);
    out += columns_[i].align == Align::kRight ? pad + text : text + pad;
  }
  trim_right(out);
  out += '\n';
}

Table Table::without_columns_that_do_not_fit(std::size_t available) const {
  Table changed = *this;
  while (changed.columns_.size() > kLeastColumns && whole_width(changed.widths(available)) > available) {
    changed.columns_.pop_back();
  }
  return changed;
}

// Removes the common beginning of cells that do not fit into their column, because it does not help to distinguish
// them.
Table Table::without_common_prefixes(const std::vector<std::size_t>& widths) const {
  Table changed = *this;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].shrinks) continue;
    std::vector<std::string*> cut;
    std::vector<std::string_view> texts;
    for (Row& row : changed.rows_) {
      if (i >= row.cells.size() || display_width(row.cells[i]) <= widths[i]) continue;
      cut.push_back(&row.cells[i]);
      texts.push_back(row.cells[i]);
    }
    const std::size_t prefix = common_prefix(texts);
    constexpr std::size_t kWorthwhile = 2;  // the character that marks the omission takes a column itself
    if (prefix < kWorthwhile) continue;
    for (std::string* cell : cut) cell->replace(0, prefix - 1, "…");
  }
  return changed;
}

std::string Table::to_text(const Screen& screen, std::size_t indent) const {
  const std::size_t available = screen.width - std::min(screen.width, indent);
  const Table fitting = without_columns_that_do_not_fit(available);
  const Table shorter = fitting.without_common_prefixes(fitting.widths(available));
  return shorter.laid_out(shorter.widths(available), screen, indent);
}

std::string Table::laid_out(const std::vector<std::size_t>& widths, const Screen& screen, std::size_t indent) const {
  std::string out;
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  if (std::ranges::any_of(titles, [](const std::string& title) { return !title.empty(); })) {
    out += padding(indent);
    append_row(out, titles, widths, screen, true);
  }
  for (const Row& row : rows_) {
    out += padding(indent);
    if (row.remark.empty()) {
      append_row(out, row.cells, widths, screen, false);
      continue;
    }
    const std::string first = elided(row.cells[0], widths[0]);
    out += first + padding(widths[0] - display_width(first) + kGap) + inked(row.remark, Ink::kBad, screen) + '\n';
  }
  return out;
}

std::string in_columns(const std::vector<std::string>& cells, const Screen& screen, std::size_t indent) {
  if (cells.empty()) return {};
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, display_width(cell));
  constexpr std::size_t kWideGap = 4;
  // Limited even if the output is no terminal, because columns of short cells are only for people.
  const std::size_t whole = std::min<std::size_t>(screen.width, 100);
  const std::size_t room = whole - std::min(whole, indent) + kWideGap;
  const std::size_t columns = std::max<std::size_t>(1, std::min(cells.size(), room / (width + kWideGap)));
  const std::size_t lines = (cells.size() + columns - 1) / columns;
  std::string out;
  for (std::size_t line = 0; line < lines; ++line) {
    std::string text = padding(indent);
    for (std::size_t at = line; at < cells.size(); at += lines) {
      text += cells[at] + padding(width - display_width(cells[at]) + kWideGap);
    }
    trim_right(text);
    out += text + '\n';
  }
  return out;
}

std::string bar(double share, std::size_t width) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width * 8)));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths[eighths % 8];
  return out;
}

}  // namespace onnxpress::cli

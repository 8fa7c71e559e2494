// Tables are aligned and fit the screen.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/screens/numbered_values.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {
namespace {

using Align = Table::Align;

Screen plain(std::size_t width) { return {.width = width}; }

TEST(Table, ColumnsLineUp) {
  Table table({{"name", Align::kLeft}, {"bytes", Align::kRight}});
  table.add({"a", "1"});
  table.add({"longer", "1,000"});
  EXPECT_EQ(table.to_text(plain(100)),
            "  name    bytes\n"
            "  a           1\n"
            "  longer  1,000\n");
}

TEST(Table, WithoutTitlesThereIsNoTitleLine) {
  Table table({{""}, {""}});
  table.add({"format", "ONNX"});
  EXPECT_EQ(table.to_text(plain(100), 0), "format  ONNX\n");
}

TEST(Table, WideColumnsGiveWay) {
  Table table({{"", Align::kLeft, true}, {"", Align::kRight}});
  table.add({std::string(50, 'a') + std::string(50, 'b'), "12345"});
  const std::string text = table.to_text(plain(40), 2);
  EXPECT_EQ(display_width(text.substr(0, text.size() - 1)), 40u);
  EXPECT_NE(text.find("aaa…bbb"), std::string::npos);
  EXPECT_NE(text.find("  12345"), std::string::npos);
}

TEST(Table, LastColumnsStayAwayWhenElidingDoesNotSuffice) {
  Table table({{"name", Align::kLeft, true},
               {"elements", Align::kRight},
               {"bytes", Align::kRight},
               {"where", Align::kLeft, true}});
  table.add({"a.long.name.of.a.weight", "123,456,789", "493,827,156", "initializer"});
  const std::string text = table.to_text(plain(44), 2);
  EXPECT_EQ(text,
            "  name                 elements        bytes\n"
            "  a.long.…a.weight  123,456,789  493,827,156\n");
  EXPECT_NE(table.to_text(plain(60), 2).find("initializer"), std::string::npos);
}

TEST(Table, WideCharactersTakeTwoColumns) {
  Table table({{""}, {""}});
  table.add({"层", "x"});
  table.add({"ab", "x"});
  EXPECT_EQ(table.to_text(plain(100), 0), "层  x\nab  x\n");
}

TEST(Table, MissingCellsAreEmptyAndLinesHaveNoTrailingSpaces) {
  Table table({{"a"}, {"b"}, {"c"}});
  table.add({"1"});
  EXPECT_EQ(table.to_text(plain(100), 0), "a  b  c\n1\n");
}

TEST(Table, RemarkRunsAcrossTheColumns) {
  Table table({{"file", Align::kLeft, true}, {"size", Align::kRight}});
  table.add({"good.onnx", "1 MB"});
  table.add_remark("bad.onnx", "cannot be read, for a reason that takes longer");
  EXPECT_EQ(table.to_text(plain(40), 0),
            "file       size\n"
            "good.onnx  1 MB\n"
            "bad.onnx   cannot be read, for a reason that takes longer\n");
}

TEST(Table, ColourDoesNotDisturbTheColumns) {
  Table table({{"name", Align::kLeft, false, Ink::kStrong}, {"n", Align::kRight}});
  table.add({"a", "1"});
  std::string text = table.to_text({.is_terminal = true, .can_redraw = true, .colour = true, .width = 100}, 0);
  for (std::size_t at; (at = text.find("\x1b[")) != std::string::npos;) text.erase(at, text.find('m', at) - at + 1);
  EXPECT_EQ(text, "name  n\na     1\n");
}

TEST(Columns, GoDownThenRight) {
  EXPECT_EQ(in_columns({"1", "2", "3", "4", "5"}, plain(12), 0), "1    3    5\n2    4\n");
  EXPECT_EQ(in_columns({}, plain(80)), "");
  EXPECT_EQ(in_columns({std::string(200, 'x'), "y"}, plain(80), 0), std::string(200, 'x') + "\ny\n");
}

TEST(Bar, CountsInEighths) {
  EXPECT_EQ(bar(0, 10), "");
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(0.5 + 1.0 / 32, 4), "██▏");
  EXPECT_EQ(bar(7, 2), "██");
  EXPECT_EQ(bar(-1, 2), "");
}

TEST(Table, DropsWhatNamesHaveInCommonBeforeTheirEnds) {
  Table table({{"name", Table::Align::kLeft, true}, {"n"}});
  table.add({"/model/encoder/layers.0/self_attention/query/MatMul_output_0", "1"});
  table.add({"/model/encoder/layers.0/self_attention/value/MatMul_output_0", "2"});
  table.add({"x", "3"});
  EXPECT_EQ(table.to_text(plain(40), 0),
            "name                     n\n"
            "…/query/MatMul_output_0  1\n"
            "…/value/MatMul_output_0  2\n"
            "x                        3\n");
  EXPECT_EQ(table.to_text(plain(22), 0),
            "name                 n\n"
            "…/query/M…_output_0  1\n"
            "…/value/M…_output_0  2\n"
            "x                    3\n");
  const std::string whole = table.to_text(plain(Screen::kUncut), 0);
  EXPECT_NE(whole.find("/model/encoder/layers.0/self_attention/query/MatMul_output_0  1\n"), std::string::npos);
}

TEST(Table, KeepsNamesThatHaveNothingInCommon) {
  Table table({{"name", Table::Align::kLeft, true}});
  table.add({"encoder.layers.attention.weight"});
  table.add({"decoder.layers.attention.weight"});
  EXPECT_EQ(table.to_text(plain(20), 0), "name\nencoder.l…ion.weight\ndecoder.l…ion.weight\n");
}

TEST(Progress, LineSaysWhatIsDoneAndHowFarItIs) {
  using namespace std::chrono_literals;
  EXPECT_EQ(ProgressBar::line("writing", 0.5, 3s, 100), "writing  [███████████████               ]  50 %  3 s");
  EXPECT_EQ(ProgressBar::line("reading", std::nullopt, 12s, 100), "reading  12 s");
  EXPECT_LE(display_width(ProgressBar::line("writing", 0.5, 1s, 20)), 20u);
}

TEST(Progress, IsNeverWholeWhileTheBarIsThere) {
  using namespace std::chrono_literals;
  for (const double share : {0.9999, 1.0, 1.5})
    EXPECT_EQ(ProgressBar::line("writing", share, 3s, 100), "writing  [█████████████████████████████▊]  99 %  3 s");
}

std::vector<std::string> names_of(const std::vector<InterfaceLine>& lines) {
  std::vector<std::string> names;
  for (const InterfaceLine& line : lines) names.push_back(line.name);
  return names;
}

TEST(Fold, NumberedValuesBecomeOneLine) {
  std::vector<InterfaceLine> lines = {{.name = "ids", .type = "int64[N]"}};
  for (int layer = 0; layer < 12; ++layer) {
    lines.push_back({.name = "past." + std::to_string(layer) + ".key2", .type = "float[N]"});
    lines.push_back({.name = "past." + std::to_string(layer) + ".value2", .type = "float[N]"});
  }
  lines.push_back({.name = "past.12.key2", .type = "float[M]"});  // another type
  EXPECT_EQ(names_of(grouped_by_number(lines)),
            (std::vector<std::string>{"ids", "past.{0-11}.key2", "past.{0-11}.value2", "past.12.key2"}));
}

TEST(Fold, FewValuesStayAsTheyAre) {
  std::vector<InterfaceLine> lines;
  for (int i = 0; i < 8; ++i) lines.push_back({.name = "x" + std::to_string(i), .type = "float"});
  EXPECT_EQ(names_of(grouped_by_number(lines)), names_of(lines));
}

}  // namespace
}  // namespace onnxpress::cli

// Names from hostile files cannot disturb a terminal.
#include <gtest/gtest.h>

#include <random>

#include "cli/terminal/cell_text.h"

namespace onnxpress::cli {
namespace {

TEST(CellText, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("conv1.weight"), "conv1.weight");
  EXPECT_EQ(printable("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");  // the one-byte form of ESC [
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u{202e}b");  // would show the following text from right to left
  EXPECT_EQ(printable("a\xe2\x80\x8b"
                      "b"),
            "a\\u{200b}b");  // has no width
}

TEST(CellText, BrokenUtf8IsEscaped) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // '/' in two bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a UTF-16 pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last code point
  EXPECT_EQ(printable("größe 层 🙂"), "größe 层 🙂");
}

TEST(CellText, LongNamesEndSomewhere) {
  const std::string shown = printable(std::string(10'000'000, 'x'));
  EXPECT_LT(shown.size(), 5000u);
  EXPECT_NE(shown.find("(10000000 bytes)"), std::string::npos);
}

TEST(CellText, MessagesKeepTheirLines) {
  EXPECT_EQ(printable_lines("1 | a\tb\n  | ^\x1b\n\n"), "1 | a\\tb\n  | ^\\x1b\n\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(CellText, WidthCountsColumns) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("größe"), 5u);
  EXPECT_EQ(display_width("层"), 2u);
  EXPECT_EQ(display_width("🙂"), 2u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("…"), 1u);
}

TEST(CellText, ElidesTheMiddle) {
  EXPECT_EQ(elided("short", 10), "short");
  EXPECT_EQ(elided("0123456789", 10), "0123456789");
  EXPECT_EQ(elided("0123456789a", 10), "0123…6789a");
  EXPECT_EQ(elided("abc", 1), "…");
  EXPECT_EQ(elided("abc", 0), "");
  EXPECT_EQ(elided("层层层层层", 7), "层…层层");  // a character cannot be cut in half
}

TEST(CellText, AnyBytesBecomeSafeTextOfTheRightWidth) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string shown = printable(bytes);
    for (const char c : shown) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    EXPECT_EQ(printable(shown), shown) << "safe text stays as it is";
    const std::size_t width = random() % 20;
    EXPECT_LE(display_width(elided(shown, width)), width);
  }
}

}  // namespace
}  // namespace onnxpress::cli

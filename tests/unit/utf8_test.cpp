// UTF-8 from hostile files: what is a character, and where text may be cut.
#include "onnxpress/base/utf8.h"

#include <gtest/gtest.h>

#include <random>

namespace onnxpress {
namespace {

TEST(Utf8, DecodesTheFirstAndLastCharacterOfEachLength) {
  const std::pair<std::string_view, char32_t> cases[] = {
      {std::string_view("\0", 1), 0},
      {"\x7f", 0x7f},
      {"\xc2\x80", 0x80},
      {"\xdf\xbf", 0x7ff},
      {"\xe0\xa0\x80", 0x800},
      {"\xed\x9f\xbf", 0xd7ff},
      {"\xee\x80\x80", 0xe000},
      {"\xef\xbf\xbf", 0xffff},
      {"\xf0\x90\x80\x80", 0x10000},
      {"\xf4\x8f\xbf\xbf", 0x10ffff},
  };
  for (const auto& [text, point] : cases) {
    const Utf8Character character = first_character(text);
    EXPECT_EQ(character.point, point);
    EXPECT_EQ(character.length, text.size());
    EXPECT_TRUE(is_valid_utf8(text));
    for (std::size_t cut = 1; cut < text.size(); ++cut) EXPECT_FALSE(is_valid_utf8(text.substr(0, cut)));
  }
}

TEST(Utf8, BrokenBytesAreTakenOneByOne) {
  for (const std::string_view text :
       {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "\xe2\x82x"}) {
    EXPECT_EQ(first_character(text).point, Utf8Character::kBroken);
    EXPECT_EQ(first_character(text).length, 1u);
    EXPECT_FALSE(is_valid_utf8(text));
  }
}

TEST(Utf8, CutsBetweenCharacters) {
  EXPECT_EQ(utf8_head("a层b", 4), "a层");
  EXPECT_EQ(utf8_head("a层b", 3), "a");
  EXPECT_EQ(utf8_head("a层b", 2), "a");
  EXPECT_EQ(utf8_tail("a层b", 4), "层b");
  EXPECT_EQ(utf8_tail("a层b", 3), "b");
  EXPECT_EQ(utf8_tail("a层b", 2), "b");
  EXPECT_EQ(utf8_head("层", 0), "");
  EXPECT_EQ(utf8_tail("层", 0), "");
  EXPECT_EQ(utf8_head("\x80\x80\x80\x80\x80", 3), "\x80\x80\x80") << "broken bytes can be cut anywhere";
  EXPECT_EQ(utf8_tail("\x80\x80\x80\x80\x80", 3), "\x80\x80\x80");
}

TEST(Utf8, AnyBytesBecomeHarmlessText) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::size_t cut = random() % 45;
    const std::string_view head = utf8_head(bytes, cut), tail = utf8_tail(bytes, cut);
    EXPECT_LE(head.size(), cut);
    EXPECT_LE(tail.size(), cut);
    std::string shown;
    for (std::string_view rest = bytes; !rest.empty();) rest.remove_prefix(append_harmless(shown, rest));
    EXPECT_TRUE(is_valid_utf8(shown));
    for (std::string_view rest = shown; !rest.empty();) {
      const auto [point, length] = first_character(rest);
      EXPECT_FALSE(is_unsafe_to_show(point));
      rest.remove_prefix(length);
    }
  }
}

}  // namespace
}  // namespace onnxpress

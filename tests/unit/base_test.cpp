// The basic types: Bytes, Arena, NameTable, Error.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onnxpress/base/arena.h"
#include "onnxpress/base/bytes.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/name_table.h"
#include "onnxpress/base/utf8.h"

namespace onnxpress {
namespace {

TEST(Bytes, SlicesInsideAndRefusesOutside) {
  const Bytes bytes = Bytes::owned("0123456789");
  EXPECT_EQ(bytes.slice(2, 3).view(), "234");
  EXPECT_EQ(bytes.slice(10, 0).view(), "");
  EXPECT_THROW(bytes.slice(11, 0), Error);
  EXPECT_THROW(bytes.slice(2, 9), Error);
  EXPECT_THROW(bytes.slice(5, ~std::uint64_t{0}), Error);
}

TEST(Bytes, KeepTheirOwnerAlive) {
  Bytes tail;
  {
    const Bytes whole = Bytes::owned(std::string(100, 'a') + "end");
    tail = whole.slice(100, 3);
  }
  EXPECT_EQ(tail.view(), "end");
}

TEST(Bytes, LoadElementsWithoutAlignment) {
  const Bytes bytes = Bytes::owned(std::string("x\x01\x00\x00\x00\x02\x00\x00\x00", 9)).slice(1, 8);
  EXPECT_EQ(bytes.load<std::uint32_t>(0), 1U);
  EXPECT_EQ(bytes.load<std::uint32_t>(1), 2U);
}

TEST(Arena, RunsDestructorsLastMadeFirst) {
  std::string order;
  struct Speaks {
    std::string* out;
    char name;
    Speaks(std::string* o, char n) : out(o), name(n) {}
    ~Speaks() { out->push_back(name); }
  };
  {
    Arena arena;
    arena.make<Speaks>(&order, 'a');
    arena.make<Speaks>(&order, 'b');
  }
  EXPECT_EQ(order, "ba");
}

TEST(Arena, KeepsAddressesAndAlignment) {
  Arena arena;
  std::vector<std::uint64_t*> made;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    arena.text("x");  // makes the next object unaligned
    made.push_back(arena.make<std::uint64_t>(i));
  }
  for (std::uint64_t i = 0; i < made.size(); ++i) {
    ASSERT_EQ(*made[i], i);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(made[i]) % alignof(std::uint64_t), 0U);
  }
  EXPECT_EQ(arena.array<int>(1'000'000).size(), 1'000'000U);
}

TEST(Arena, TellsEmptyTextFromAbsentText) { EXPECT_NE(Arena().text("").data(), nullptr); }

TEST(NameTable, GivesDenseIdsInOrderOfAppearance) {
  NameTable names;
  std::vector<std::string> texts;
  for (int i = 0; i < 10'000; ++i) texts.push_back("name" + std::to_string(i));
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(names.intern(texts[i]), i);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(names.intern(texts[i]), i);
  EXPECT_EQ(names.find("name77"), 77U);
  EXPECT_EQ(names.find("nobody"), NameTable::kNone);
  EXPECT_EQ(NameTable().find("nobody"), NameTable::kNone);
  EXPECT_EQ(names.text(3), "name3");
}

TEST(Error, SaysFileThenPlaceThenMessage) {
  Error error("node 'a'", "is wrong", "mend it");
  EXPECT_STREQ(error.what(), "node 'a': is wrong");
  error.add_outer_place("graph 'g'");
  error.set_file("m.onnx");
  error.set_file("later.onnx");
  EXPECT_STREQ(error.what(), "m.onnx: graph 'g', node 'a': is wrong");
  EXPECT_EQ(error.hint(), "mend it");
}

TEST(Error, QuotesHostileNames) {
  EXPECT_EQ(quote_name("conv1"), "'conv1'");
  EXPECT_EQ(quote_name("a'b\\c\n\x1b[31m"), "'a\\'b\\\\c\\x0a\\x1b[31m'");
  const std::string quoted = quote_name(std::string(1'000'000, 'x'));
  EXPECT_LT(quoted.size(), 200U);
  EXPECT_NE(quoted.find("(1000000 bytes)"), std::string::npos);
}

TEST(Error, QuotedNamesAreHarmlessAndValidUtf8) {
  EXPECT_EQ(quote_name("größe 层"), "'größe 层'");
  EXPECT_EQ(quote_name("a\xff\xc3"), "'a\\xff\\xc3'");
  EXPECT_EQ(quote_name("\xc2\x9b"
                       "31m"),
            "'\\u{9b}31m'");  // the one-byte form of ESC [
  EXPECT_EQ(quote_name("a\xe2\x80\xae"
                       "b"),
            "'a\\u{202e}b'");  // would show the following text from right to left
  EXPECT_EQ(quote_name("\xe2\x81\xa6"), "'\\u{2066}'");
  EXPECT_EQ(plain_or_quoted("größe"), "größe");
  EXPECT_EQ(plain_or_quoted("a\xff"), "'a\\xff'");
}

TEST(Error, ShorteningANameKeepsCharactersWhole) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string name(shift, 'x');
    for (int i = 0; i < 100; ++i) name += "🙂";
    const std::string quoted = quote_name(name);
    EXPECT_TRUE(is_valid_utf8(quoted));
    EXPECT_EQ(quoted.find('\\'), std::string::npos) << quoted;
  }
}

// Escapes can add as many characters to a long name as are left out of it.
TEST(Error, ALongNameIsNeverPlain) {
  for (std::size_t size = 121; size < 200; ++size) {
    for (std::size_t escapes = 1; escapes < 30; ++escapes) {
      const std::string name = std::string(escapes, '\x1b') + std::string(size - escapes, 'x');
      EXPECT_EQ(plain_or_quoted(name).find('\x1b'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace onnxpress

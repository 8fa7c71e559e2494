// Options in library texts, as they are written on the command line.
#include <gtest/gtest.h>

#include "cli/arguments/flag_text.h"

namespace onnxpress::cli {
namespace {

TEST(FlagTextTest, SpellsOptionsAsFlags) {
  EXPECT_EQ(with_flags("try option `no_mmap`"), "try --no-mmap");
  EXPECT_EQ(with_flags("use option `encoding=dq`, or option `target=ort`"), "use --encoding dq, or --target ort");
  EXPECT_EQ(with_flags("give option `shape=x=1x3`"), "give --shape x=1x3");
}

TEST(FlagTextTest, LeavesOtherTextsAlone) {
  for (const std::string_view text :
       {"", "option", "option `", "option `open", "no option that works", "`name` of `x`"})
    EXPECT_EQ(with_flags(text), text);
}

}  // namespace
}  // namespace onnxpress::cli

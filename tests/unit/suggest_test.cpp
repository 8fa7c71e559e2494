// Suggestions for mistyped words.
#include "onnxpress/base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace onnxpress {
namespace {

TEST(Suggest, DistanceCountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("tensrs", "tensors"), 1u);
  EXPECT_EQ(edit_distance("inof", "info"), 1u);  // a swap
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggest, FindsTheNearestOption) {
  const std::vector<std::string> options = {"--help",       "--tensors", "--sort",      "--top",
                                            "--duplicates", "--no-mmap", "--strip-docs"};
  EXPECT_EQ(nearest("--tensrs", options), "--tensors");
  EXPECT_EQ(nearest("--tensor", options), "--tensors");
  EXPECT_EQ(nearest("--TENSORS", options), "--tensors");
  EXPECT_EQ(nearest("--dup", options), "--duplicates");  // a prefix
  EXPECT_EQ(nearest("--nommap", options), "--no-mmap");
  EXPECT_EQ(nearest("--strip-doc", options), "--strip-docs");
  EXPECT_EQ(nearest("--sotr", options), "--sort");
}

TEST(Suggest, FindsTheShortestWordThatBeginsSo) {
  const std::vector<std::string> names = {"resnet50-v1", "resnet50", "resnet101"};
  EXPECT_EQ(nearest("resnet5", names), "resnet50");
}

TEST(Suggest, SaysNothingRatherThanGuess) {
  const std::vector<std::string> options = {"--top", "--sort", "--json"};
  EXPECT_EQ(nearest("--verbose", options), "");
  EXPECT_EQ(nearest("--x", options), "");
  EXPECT_EQ(nearest("--", options), "");
  EXPECT_EQ(nearest("", options), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), options), "");
  EXPECT_EQ(nearest("--top", {}), "");
}

}  // namespace
}  // namespace onnxpress

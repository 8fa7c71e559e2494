// The steps of shrink as a whole: steps that save nothing are left out, and users can follow the progress.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/jobs/shrink_file.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

// An If whose branch reads the constant 'ccccc' `readers` times.
std::string branches(const std::string& output, int readers, double then_value, double else_value) {
  const auto body = [&](char prefix, double value) {
    std::string text =
        fmt::format("g_{0}{1} () => (float[4] {0}{1}{2}) {{ ccccc = Constant <value = float[1] {{{3}}}> ()", output,
                    prefix, readers - 1, value);
    for (int i = 0; i < readers; ++i)
      text += fmt::format(" {0}{1}{2} = Mul ({3}, ccccc)", output, prefix, i,
                          i == 0 ? "x" : fmt::format("{}{}{}", output, prefix, i - 1));
    return text + " }";
  };
  return fmt::format("{} = If (f) <then_branch = {}, else_branch = {}>", output, body('t', then_value),
                     body('e', else_value));
}

// Equal constants of the first If move out of its branches under a new name, as 'ccccc' means something else in the
// second one. All short names are taken, so that the new one is longer than the old.
std::string model_text(int readers) {
  constexpr int kNames = 10'000;
  std::string text =
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[4] x, bool f) => (float[4] y, float[4] z, float[4] v9999) {\n";
  for (int i = 0; i < kNames; ++i) text += fmt::format("v{} = Neg ({})\n", i, i == 0 ? "x" : fmt::format("v{}", i - 1));
  return text + branches("y", readers, 3, 3) + "\n" + branches("z", 1, 4, 5) + "\n}";
}

ShrinkReport shrink_text(const std::string& text, Names only) {
  tests::TempFolder folder;
  folder.write("model.onnxtxt", text);
  ShrinkOptions options;
  options.only = std::move(only);
  return shrink_file((folder / "model.onnxtxt").string(), (folder / "small.onnx").string(), options, {});
}

TEST(ShrinkPipeline, LeavesOutAStepThatMakesTheFileLarger) {
  const ShrinkReport few = shrink_text(model_text(2), {"share"});
  ASSERT_EQ(few.methods.size(), 1U);
  EXPECT_GT(few.methods[0].saved, 0);
  const ShrinkReport many = shrink_text(model_text(60), {"share"});
  EXPECT_TRUE(many.unchanged);
  EXPECT_TRUE(many.methods.empty());
  const ShrinkReport all = shrink_text(model_text(60), {"share", "storage-form"});
  EXPECT_LT(all.after.total(), all.before.total());
  ASSERT_EQ(all.methods.size(), 1U);
  EXPECT_EQ(all.methods[0].method, "storage-form");
}

TEST(ShrinkPipeline, TellsItsStages) {
  std::vector<std::string> stages;
  const HearStages hear([&stages](std::string_view name) { stages.emplace_back(name); });
  shrink_text(model_text(2), {});
  const std::vector<std::string> expected = {"reading", "removing dead nodes", "encoding weights", "writing",
                                             "checking the result"};
  auto at = stages.begin();
  for (const std::string& each : expected) {
    at = std::find(at, stages.end(), each);
    EXPECT_NE(at, stages.end()) << each;
  }
}

TEST(Stages, GoToTheInnermostListener) {
  std::vector<std::string> outer, inner;
  begin_stage("nobody hears");
  const HearStages hear([&outer](std::string_view name) { outer.emplace_back(name); });
  {
    const HearStages closer([&inner](std::string_view name) { inner.emplace_back(name); });
    begin_stage("one");
  }
  begin_stage("two");
  EXPECT_EQ(inner, std::vector<std::string>{"one"});
  EXPECT_EQ(outer, std::vector<std::string>{"two"});
}

}  // namespace
}  // namespace onnxpress

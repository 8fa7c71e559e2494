// A result that is not proved is not written: not for a single model, not with shared weights, not over an old file.
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/jobs/shrink_file.h"
#include "onnxpress/tasks/jobs/shrink_together.h"
#include "onnxpress/tasks/shrink/check_shrunk.h"
#include "onnxpress/tasks/shrink/pipeline.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

class ShrinkVerify : public testing::Test {
 protected:
  void SetUp() override {
    std::string elements;
    for (int i = 0; i < 4096; ++i) elements += (i ? ", " : "") + std::to_string((i * 7919) % 65521) + ".25";
    const std::string text = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[64] x) => (float[64, 64] y)\n" +
                             ("<float[64, 64] a = {" + elements + "}, float[64, 64] b = {" + elements + "}>\n") +
                             "{ z = Add (x, a) y = Add (z, b) }";
    folder_.write("in/one.onnxtxt", text);
    folder_.write("in/two.onnxtxt", text);
    std::filesystem::create_directories(folder_ / "out");
    options_.verify = true;
    options_.engine = std::make_shared<Pretended>(*this);
  }
  // Runs no model. The result of one comparison has other outputs.
  class Pretended : public engines::Engine {
   public:
    explicit Pretended(ShrinkVerify& test) : test_(test) {}
    std::string name() const override { return "pretended"; }
    std::unique_ptr<engines::Session> open(const Model& model, const engines::EngineSettings&) const override {
      const bool is_result = model.path.parent_path() != test_.folder_ / "in";
      if (is_result) test_.seen_.push_back({model.path.string(), {}});
      EXPECT_TRUE(std::filesystem::exists(model.path));
      return std::make_unique<Opened>(is_result ? &test_.seen_.back() : nullptr,
                                      is_result && test_.seen_.size() == test_.fails_at_ ? 2.F : 1.F);
    }

   private:
    ShrinkVerify& test_;
  };
  std::string in(const char* name) const { return (folder_ / ("in/" + std::string(name))).string(); }
  std::string out(const char* name) const { return (folder_ / ("out/" + std::string(name))).string(); }
  std::set<std::string> written() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "out"))
      names.insert(entry.path().filename().string());
    return names;
  }

  // The result of a comparison, and its last inputs.
  struct Compared {
    std::string result;
    engines::NamedArrays inputs;
  };
  struct Opened : engines::Session {
    Opened(Compared* to_fill, float all) : compared(to_fill), number(all) {}
    std::vector<ops::Datum> run(const engines::NamedArrays& inputs) override {
      if (compared) compared->inputs = inputs;
      return {ops::Array::of<float>(std::vector<float>(64 * 64, number)).reshaped({64, 64})};
    }
    Compared* compared;
    float number;
  };

  tests::TempFolder folder_;
  ShrinkOptions options_;
  std::deque<Compared> seen_;
  std::size_t fails_at_ = 0;  // which comparison fails; 0: none
};

TEST_F(ShrinkVerify, WritesWhatIsProved) {
  const ShrinkReport report = shrink_file(in("one.onnxtxt"), out("one.onnx"), options_, {});
  EXPECT_EQ(written(), std::set<std::string>{"one.onnx"});
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].path, out("one.onnx"));
  ASSERT_TRUE(report.outputs);
  EXPECT_TRUE(report.outputs->same);
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_NE(seen_[0].result, out("one.onnx"));  // compared before it gets its final name
}

TEST_F(ShrinkVerify, LeavesWhatWasThereWhenTheProofFails) {
  fails_at_ = 1;
  folder_.write("out/one.onnx", "old");
  try {
    shrink_file(in("one.onnxtxt"), out("one.onnx"), options_, {});
    FAIL() << "the proof failed, but no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.file(), out("one.onnx"));
  }
  EXPECT_EQ(written(), std::set<std::string>{"one.onnx"});
  EXPECT_EQ(tests::content_of(folder_ / "out/one.onnx"), "old");
}

// Even without --verify, a result is compared with its original.
TEST_F(ShrinkVerify, SeesAnotherModel) {
  options_ = {};
  LoadedModel loaded = open_model(in("one.onnxtxt"));
  run_pipeline(loaded.model, options_, {});
  const auto check = [&](Model after) {
    Model original = open_model(in("one.onnxtxt")).model;
    require_same_after_shrinking(original, after, options_.freeze);
  };
  EXPECT_NO_THROW(check(loaded.model.clone()));
  Model other = loaded.model.clone();
  Node& last = *other.graph().nodes().back();
  other.graph().set_input(last, 0, last.input(1));  // simulates a bug in a method
  try {
    check(std::move(other));
    FAIL() << "it was taken for the same model";
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("bug in onnxpress"), std::string::npos);
  }
}

TEST_F(ShrinkVerify, VerifiesADryRunAndWritesNothing) {
  options_.dry_run = true;
  const ShrinkReport report = shrink_file(in("one.onnxtxt"), out("one.onnx"), options_, {});
  EXPECT_TRUE(report.outputs && report.outputs->same);
  EXPECT_TRUE(report.files.empty());
  EXPECT_TRUE(written().empty());
}

TEST_F(ShrinkVerify, WritesAllSharedModelsOrNone) {
  const std::vector<ShareJob> jobs = {{in("one.onnxtxt"), out("one.onnx")}, {in("two.onnxtxt"), out("two.onnx")}};
  fails_at_ = 2;
  EXPECT_THROW(shrink_together(jobs, "w.data", options_, {}), Error);
  EXPECT_TRUE(written().empty());
  fails_at_ = 0;
  const ShareReport report = shrink_together(jobs, "w.data", options_, {});
  EXPECT_EQ(written(), (std::set<std::string>{"one.onnx", "two.onnx", "w.data"}));
  for (const ShrinkReport& each : report.models) EXPECT_TRUE(each.outputs && each.outputs->same);
}

}  // namespace
}  // namespace onnxpress

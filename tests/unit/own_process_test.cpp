// Engines in processes of their own: the same answers, and errors instead of crashes and hangs, in every task that runs
// models.
#include "onnxpress/engines/own_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/tasks/verify/verify.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::engines {
namespace {

enum class Fault : std::uint8_t { kNone, kAborts, kHangs, kRefuses, kLeavesFiles };

// Runs a function instead of the model, after `good` runs that give ones. Counts all sessions.
class Faulty : public Engine {
 public:
  Faulty(Fault at_load, Fault at_run, std::function<bool(const Model&)> on = {})
      : at_load_(at_load), at_run_(at_run), on_(std::move(on)) {}
  std::string name() const override { return "faulty"; }
  std::unique_ptr<Session> open(const Model& model, const EngineSettings& settings) const override {
    const bool is_on = !on_ || on_(model);
    if (is_on) happen(at_load_);
    return std::make_unique<Opened>(evaluator_engine()->open(model, settings), is_on ? at_run_ : Fault::kNone);
  }

 private:
  static void happen(Fault fault) {
    switch (fault) {
      case Fault::kNone:
        return;
      case Fault::kAborts:
        std::_Exit((::signal(SIGABRT, SIG_DFL), ::raise(SIGABRT), 1));
      case Fault::kHangs:
        for (;;) ::pause();
      case Fault::kRefuses:
        throw Error("node 'a'", "no such operator", "leave it out");
      case Fault::kLeavesFiles: {
        const TemporaryFolder folder(std::filesystem::temp_directory_path());
        std::ofstream(folder.path() / "left") << "something";
        ::raise(SIGKILL);
      }
    }
  }
  struct Opened : Session {
    Opened(std::unique_ptr<Session> session, Fault at_run) : real(std::move(session)), fault(at_run) {}
    std::vector<ops::Datum> run(const NamedArrays& inputs) override {
      happen(fault);
      return real->run(inputs);
    }
    std::unique_ptr<Session> real;
    Fault fault;
  };
  Fault at_load_, at_run_;
  std::function<bool(const Model&)> on_;
};

constexpr double kShort = 0.3, kLong = 60;

std::shared_ptr<const Engine> faulty(Fault at_load, Fault at_run, std::function<bool(const Model&)> on = {}) {
  const bool hangs = at_load == Fault::kHangs || at_run == Fault::kHangs;
  return in_own_process(std::make_shared<Faulty>(at_load, at_run, std::move(on)), hangs ? kShort : kLong);
}

Model parsed(const std::string& text) {
  return text::parse_model("<ir_version: 9, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 3]>\n" + text, "test");
}

Model model_with_weights() {
  std::string elements;
  for (int i = 0; i < 64 * 64; ++i) elements += (i ? ", " : "") + std::to_string((i * 7919) % 65521) + ".25";
  return parsed("g (float[3, 64] x) => (float[3, 64] y)\n<float[64, 64] w = {" + elements + "}>\n" +
                "{ z = MatMul (x, w) a = Identity (z) y = Tanh (a) }");
}

NamedArrays one_input() { return {{"x", ops::Array::of<float>(std::vector<float>(192, 0.5F)).reshaped({3, 64})}}; }

TEST(OwnProcess, GivesTheSameOutputs) {
  Model model = model_with_weights();
  const auto here = evaluator_engine(), there = in_own_process(here, kLong);
  EXPECT_EQ(there->name(), here->name());
  EXPECT_TRUE(there->is_evaluator());
  const auto expected = here->open(model)->run(one_input());
  const auto session = there->open(model);
  for (int i = 0; i < 3; ++i) {
    const auto found = session->run(one_input());
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].array()->sizes(), expected[0].array()->sizes());
    EXPECT_TRUE(std::ranges::equal(found[0].array()->data<float>(), expected[0].array()->data<float>()));
  }
}

// Megabytes in both directions, which do not fit into the buffers of a connection.
TEST(OwnProcess, CarriesLargeArrays) {
  Model model = parsed("g (float[n] x) => (float[n] y) { y = Neg (x) }");
  std::vector<float> numbers(3'000'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const auto found =
      in_own_process(evaluator_engine(), kLong)->open(model)->run({{"x", ops::Array::of<float>(numbers)}});
  ASSERT_EQ(found[0].array()->count(), numbers.size());
  EXPECT_EQ(found[0].array()->data<float>()[2'999'999], -2'999'999.F);
}

TEST(OwnProcess, CarriesTextsSequencesAndNothing) {
  Model model = parsed(
      "g (string[n] s, float[2] x) => (string[n] t, seq(float[2]) q, optional(float[2]) o)\n"
      "{ t = Identity (s) q = SequenceConstruct (x, x) o = Optional <type: type_proto = float[2]> () }");
  ops::Array texts = ops::Array::make<std::string>({2});
  texts.mutable_data<std::string>()[0] = "";
  texts.mutable_data<std::string>()[1] = std::string(100'000, 'x');
  const auto found = in_own_process(evaluator_engine(), kLong)
                         ->open(model)
                         ->run({{"s", texts}, {"x", ops::Array::of<float>(std::vector<float>{1, 2})}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].array()->data<std::string>()[1], std::string(100'000, 'x'));
  ASSERT_EQ(found[1].sequence()->size(), 2U);
  EXPECT_EQ(found[1].sequence()->at(1).array()->data<float>()[1], 2);
  EXPECT_TRUE(found[2].empty());
}

// An error is no death: the session goes on.
TEST(OwnProcess, PassesErrorsOn) {
  Model model = parsed("g (float[n] x) => (float[2, m] y) <int64[2] s = {2, -1}> { y = Reshape (x, s) }");
  const auto session = in_own_process(evaluator_engine(), kLong)->open(model);
  const auto ones = [](std::size_t count) {
    return NamedArrays{{"x", ops::Array::of<float>(std::vector<float>(count, 1))}};
  };
  EXPECT_THROW(session->run(ones(3)), Error);
  EXPECT_EQ(session->run(ones(4))[0].array()->sizes(), (ops::Sizes{2, 2}));
  try {
    faulty(Fault::kRefuses, Fault::kNone)->open(model);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "node 'a'");
    EXPECT_EQ(error.message(), "no such operator");
    EXPECT_EQ(error.hint(), "leave it out");
  }
}

TEST(OwnProcess, TurnsCrashesIntoErrors) {
  Model model = model_with_weights();
  const auto session = faulty(Fault::kNone, Fault::kAborts)->open(model);
  for (int i = 0; i < 2; ++i) {  // the second time it is known to be dead
    try {
      session->run(one_input());
      FAIL() << "no error";
    } catch (const EngineDied& died) {
      EXPECT_FALSE(died.timed_out());
      EXPECT_EQ(died.message(), "faulty crashed (signal 6) while running the model");
    }
  }
  EXPECT_THROW(faulty(Fault::kAborts, Fault::kNone)->open(model), EngineDied);
}

TEST(OwnProcess, TurnsHangsIntoErrors) {
  Model model = model_with_weights();
  try {
    faulty(Fault::kNone, Fault::kHangs)->open(model)->run(one_input());
    FAIL() << "no error";
  } catch (const EngineDied& died) {
    EXPECT_TRUE(died.timed_out());
    EXPECT_EQ(died.message(), "faulty gave no answer within 0.3 s while running the model");
  }
  EXPECT_THROW(faulty(Fault::kHangs, Fault::kNone)->open(model), EngineDied);
}

TEST(OwnProcess, RemovesTheFilesOfTheDead) {
  const auto count = [] {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
      found += std::filesystem::exists(entry.path() / "left") ? 1 : 0;
    return found;
  };
  const int before = count();
  Model model = model_with_weights();
  EXPECT_THROW(faulty(Fault::kLeavesFiles, Fault::kNone)->open(model), EngineDied);
  EXPECT_EQ(count(), before);
}

class EveryFault : public testing::TestWithParam<Fault> {};

TEST_P(EveryFault, EndsVerify) {
  Model first = model_with_weights(), second = model_with_weights();
  EXPECT_THROW(verify_models(first, second, {}, {faulty(GetParam(), Fault::kNone)}), EngineDied);
  EXPECT_THROW(verify_models(first, second, {}, {faulty(Fault::kNone, GetParam())}), EngineDied);
}

TEST_P(EveryFault, LeavesTheModelOfQuantizeAlone) {
  for (const bool at_load : {true, false}) {
    Model model = model_with_weights();
    const std::string before = format::encode_model(model);
    QuantizeOptions options;
    options.quality = 30;
    options.engine = at_load ? faulty(GetParam(), Fault::kNone) : faulty(Fault::kNone, GetParam());
    EXPECT_THROW(quantize(model, options), EngineDied);
    EXPECT_EQ(format::encode_model(model), before);
  }
}

TEST_P(EveryFault, LeavesTheModelOfShrinkAndOptimizeAlone) {
  Model model = model_with_weights();
  const std::string before = format::encode_model(model);
  ShrinkOptions shrink;
  shrink.verify = true;
  shrink.engine = faulty(Fault::kNone, GetParam());
  EXPECT_THROW(onnxpress::shrink(model, shrink), EngineDied);
  EXPECT_EQ(format::encode_model(model), before);
  OptimizeOptions optimize;
  optimize.verify = true;
  optimize.engine = faulty(Fault::kNone, GetParam());
  EXPECT_THROW(onnxpress::optimize(model, optimize), EngineDied);
  EXPECT_EQ(format::encode_model(model), before);
}

INSTANTIATE_TEST_SUITE_P(OwnProcess, EveryFault, testing::Values(Fault::kAborts, Fault::kHangs));

bool has_no_identity(const Model& model) {
  return std::ranges::none_of(model.graph().nodes(), [](const Node& node) { return node.is("Identity"); });
}

// Only the result crashes: that is an answer about the result.
TEST(OwnProcess, ACrashOfTheSecondModelIsADifference) {
  Model first = model_with_weights();
  Model second = parsed("g (float[3, 64] x) => (float[3, 64] y) { y = Tanh (x) }");
  const auto report = verify_models(first, second, {}, {faulty(Fault::kNone, Fault::kAborts, has_no_identity)});
  EXPECT_EQ(report.verdict, Verdict::kDiffers);
  EXPECT_EQ(report.engines[0].reason,
            "runs the original, but not the result: faulty crashed (signal 6) while running the model");
  EXPECT_THROW(verify_models(first, second, {}, {faulty(Fault::kNone, Fault::kHangs, has_no_identity)}), EngineDied);
}

TEST(OwnProcess, OptimizeLeavesOutARewriteWhoseResultCrashes) {
  Model model = model_with_weights();
  OptimizeOptions options;
  options.verify = true;
  options.engine = faulty(Fault::kNone, Fault::kAborts, has_no_identity);
  const auto report = onnxpress::optimize(model, options);
  ASSERT_TRUE(report.check);
  EXPECT_EQ(report.check->left_out, std::vector<std::string>{"remove-identity"});
  EXPECT_FALSE(has_no_identity(model));
}

// A runtime that refuses a model says nothing about it: the built-in evaluator answers, and the report says why.
TEST(OwnProcess, TheEvaluatorAnswersIfTheRuntimeRefuses) {
  Model first = model_with_weights(), second = model_with_weights();
  const auto refusing = faulty(Fault::kRefuses, Fault::kNone);
  const auto report = verify_models(first, second, {}, {refusing});
  EXPECT_EQ(report.verdict, Verdict::kIdentical);
  ASSERT_EQ(report.engines.size(), 2U);
  EXPECT_EQ(report.engines[0].reason, "the original does not load there: no such operator");
  EXPECT_EQ(report.engines[1].engine, "onnxpress");
  EXPECT_EQ(report.notes,
            std::vector<std::string>{"faulty does not run the first model, so the built-in evaluator runs both"});
  VerifyCall chosen;
  chosen.engine = RuntimeChoice::kOrt;  // then nothing else is asked
  EXPECT_EQ(verify_models(first, second, chosen, {refusing}).engines.size(), 1U);
}

}  // namespace
}  // namespace onnxpress::engines

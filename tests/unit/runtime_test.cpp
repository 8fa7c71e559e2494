// ONNX Runtime: finding it, loading it, passing it every kind of array, and comparing outputs. Skipped if there is
// none; the .venv of scripts/setup has one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "onnxpress/base/error.h"
#include "onnxpress/engines/ort/ort_engine.h"
#include "onnxpress/engines/ort/session.h"
#include "onnxpress/engines/ort/values.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/verify/compare_outputs.h"
#include "onnxpress/text/parse_model.h"
#include "tests/support/temp_folder.h"

namespace onnxpress::engines {
namespace {

// Sets ONNXPRESS_ORT as long as this object exists.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* old = std::getenv("ONNXPRESS_ORT")) old_ = old;
    ::setenv("ONNXPRESS_ORT", value, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { old_.empty() ? ::unsetenv("ONNXPRESS_ORT") : ::setenv("ONNXPRESS_ORT", old_.c_str(), 1); }

 private:
  std::string old_;
};

class Runtime : public testing::Test {
 protected:
  void SetUp() override {
    runtime_ = OnnxRuntime::find();
    if (!runtime_) GTEST_SKIP() << "!!! SKIPPED: no ONNX Runtime was found (scripts/setup test)";
  }

  static std::string encoded(std::string_view text) {
    Model model = text::parse_model(text, "test.onnxtxt", {});
    return format::encode_model(model, false);
  }
  std::vector<ops::Datum> run(std::string_view text, const OrtSession::Inputs& inputs) const {
    return OrtSession(runtime_, std::string_view(encoded(text)), {.level = OrtLevel::kOff}).run(inputs);
  }
  // The result of Identity, in the given type.
  ops::Array through(const char* type, const ops::Array& array) const {
    const std::string text = fmt::format(
        "<ir_version: 8, opset_import: [\"\" : 17]>\ng ({}[N] x) => ({}[N] y) {{ y = Identity (x) }}", type, type);
    const auto results = run(text, {{"x", array}});
    EXPECT_EQ(results.size(), 1U);
    return *results.front().array();
  }

  std::shared_ptr<const OnnxRuntime> runtime_;
};

TEST(FindOnnxRuntime, TakesTheNamedLibraryOrNone) {
  const Environment none("none");
  EXPECT_EQ(OnnxRuntime::find(), nullptr);
  Model empty;
  const OutputComparison report = compare_outputs(nullptr, empty, empty);
  EXPECT_FALSE(report.same);
  EXPECT_EQ(report.reason, "no ONNX Runtime was found");
  EXPECT_NE(report.hint, "");
}

TEST(FindOnnxRuntime, RefusesWhatIsNoLibrary) {
  const tests::TempFolder folder;
  const std::string path = folder.write("libonnxruntime.so", "not a library").string();
  const Environment named(path.c_str());
  try {
    OnnxRuntime::find();
    FAIL() << "a text was taken for a library";
  } catch (const Error& error) {
    EXPECT_EQ(error.file(), path);
    EXPECT_EQ(error.where(), "ONNXPRESS_ORT");
    EXPECT_TRUE(error.message().starts_with("cannot be loaded: ")) << error.message();
    EXPECT_NE(error.hint(), "");
  }
  const Environment other("libm.so.6");
  EXPECT_THROW(OnnxRuntime::find(), Error);
}

TEST(ElementNumbers, AreTheirOwnForTheYoungestTypes) {
  for (int i = 1; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (element_number(type) != 0) {
      EXPECT_EQ(element_of_number(element_number(type)), type);
    }
  }
  EXPECT_EQ(element_number(ElementType::kFloat8e8m0), 26);
  EXPECT_EQ(element_number(ElementType::kFloat6e2m3), 0);
  EXPECT_EQ(element_of_number(99), ElementType::kUndefined);
}

TEST_F(Runtime, ListsPorts) {
  const std::string model = encoded(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[batch, 3] x, int64 n) => (float[batch, 3] y, seq(float[2]) s)\n"
      "{ y = Relu (x) s = SequenceEmpty <dtype = 1> () }");
  const OrtSession session(runtime_, std::string_view(model));
  ASSERT_EQ(session.inputs().size(), 2U);
  EXPECT_EQ(session.inputs()[0].name, "x");
  EXPECT_EQ(session.inputs()[0].element, ElementType::kFloat);
  EXPECT_EQ(session.inputs()[0].dims, (std::vector<std::int64_t>{-1, 3}));
  EXPECT_EQ(session.inputs()[0].symbols, (std::vector<std::string>{"batch", ""}));
  EXPECT_EQ(session.inputs()[1].element, ElementType::kInt64);
  EXPECT_TRUE(session.inputs()[1].dims.empty());
  ASSERT_EQ(session.outputs().size(), 2U);
  EXPECT_EQ(session.outputs()[0].kind, abi::kTensor);
  EXPECT_EQ(session.outputs()[1].kind, abi::kSequence);
  EXPECT_FALSE(runtime_->version().empty());
}

TEST_F(Runtime, GivesBackEveryBit) {
  const std::vector<float> floats{-0.0F, std::numeric_limits<float>::quiet_NaN(), 1e-45F, 3};
  const ops::Array back = through("float", ops::Array::of<float>(floats));
  EXPECT_EQ(std::memcmp(back.bytes(), floats.data(), 16), 0);
  const std::vector<std::string> texts{"", "one", "zw\xc3\xb6lf"};
  const ops::Array strings = through("string", ops::Array::of<std::string>(texts));
  EXPECT_TRUE(std::ranges::equal(strings.data<std::string>(), texts));
  const ops::Array none = through("float", ops::Array::make<float>({0}));
  EXPECT_EQ(none.sizes(), ops::Sizes{0});
  EXPECT_EQ(through("string", ops::Array::make<std::string>({0})).count(), 0U);
}

TEST_F(Runtime, PacksElementsOfLessThanAByte) {
  std::vector<ops::Int4> elements;
  for (const int each : {-8, 7, 3}) elements.emplace_back(each);
  const auto results =
      run("<ir_version: 10, opset_import: [\"\" : 21]>\n"
          "g (int4[N] x) => (int4[N] y) { z = Cast <to = 1> (x) y = Cast <to = 22> (z) }",
          {{"x", ops::Array::of<ops::Int4>(elements)}});
  const ops::Array& back = *results.front().array();
  ASSERT_EQ(back.count(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(int{back.data<ops::Int4>()[i]}, int{elements[i]});
}

TEST_F(Runtime, TakesSequencesApart) {
  const auto results =
      run("<ir_version: 8, opset_import: [\"\" : 17]>\n"
          "g (float[N] x) => (seq(float[N]) s) { s = SequenceConstruct (x, x, x) }",
          {{"x", ops::Array::of<float>(std::vector<float>{1, 2})}});
  ASSERT_TRUE(results.front().sequence());
  EXPECT_EQ(results.front().sequence()->size(), 3U);
  EXPECT_EQ(results.front().sequence()->at(2).array()->data<float>()[1], 2);
}

TEST_F(Runtime, TakesMapsApart) {
  const auto results =
      run("<ir_version: 8, opset_import: [\"\" : 17, \"ai.onnx.ml\" : 3]>\n"
          "g (float[1, 2] x) => (seq(map(string, float)) s)\n"
          "{ s = ai.onnx.ml.ZipMap <classlabels_strings = [\"a\", \"b\"]> (x) }",
          {{"x", ops::Array::of<float>(std::vector<float>{1, 2}).reshaped({1, 2})}});
  ASSERT_TRUE(results.front().sequence());
  const auto& map = *std::get<std::shared_ptr<const ops::Map>>(results.front().sequence()->front().content);
  EXPECT_EQ(map.keys.data<std::string>()[1], "b");
  EXPECT_EQ(map.values.data<float>()[1], 2);
}

TEST_F(Runtime, SaysWhyNot) {
  try {
    const OrtSession session(runtime_, std::string_view("nonsense"));
    FAIL() << "nonsense was loaded";
  } catch (const Error& error) {
    EXPECT_TRUE(error.where().starts_with("ONNX Runtime ")) << error.where();
    EXPECT_NE(error.message(), "");
  }
  EXPECT_THROW(run("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y) { y = Relu (x) }",
                   {{"x", ops::Array::make<float>({3})}}),
               Error);
}

// --- Comparing two models

class CompareOutputs : public Runtime {
 protected:
  // `original` and `result` are nodes that compute y from x.
  OutputComparison compare(const std::string& original, const std::string& result) const {
    const auto text = [](const std::string& body) {
      return "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N, 4] x) => (float[N, K] y) { " + body + " }";
    };
    return compare_models(text(original), text(result));
  }
  OutputComparison compare_models(const std::string& original, const std::string& result) const {
    Model first = text::parse_model(original, "a.onnxtxt", {}), second = text::parse_model(result, "b.onnxtxt", {});
    return compare_outputs(ort_engine(runtime_), first, second);
  }
  std::string refusal(const std::string& original, const std::string& result) const {
    try {
      compare(original, result);
    } catch (const Error& error) {
      return error.message();
    }
    return "was accepted";
  }
};

TEST_F(CompareOutputs, AgreesOnTheSameBits) {
  const auto report = compare("y = Abs (x)", "z = Neg (x) y = Abs (z)");
  EXPECT_TRUE(report.same) << report.reason;
  EXPECT_EQ(report.outputs, 1U);
  EXPECT_GT(report.runs, 2U);  // other sizes of N, edges, zeros
  EXPECT_EQ(report.runtime, "ONNX Runtime " + runtime_->version());
}

TEST_F(CompareOutputs, TellsZerosApart) {
  // 0 and -0 are equal as numbers.
  EXPECT_NE(refusal("z = Sub (x, x) y = Abs (z)", "z = Sub (x, x) a = Abs (z) y = Neg (a)")
                .find("gives different bits for output 'y': "),
            std::string::npos);
}

TEST_F(CompareOutputs, RefusesAResultThatDoesNotLoad) {
  EXPECT_NE(refusal("y = Relu (x)", "y = Relu (nowhere)").find("runs the original, but not the result: "),
            std::string::npos);
}

TEST_F(CompareOutputs, RefusesOtherShapes) {
  EXPECT_NE(refusal("y = Relu (x)", "y = Concat <axis = 1> (x, x)").find("it is float[1,8] instead of float[1,4]"),
            std::string::npos);
}

TEST_F(CompareOutputs, SaysWhyAnOriginalIsNotCompared) {
  EXPECT_TRUE(compare("y = other.Op (x)", "y = Relu (x)").reason.starts_with("the original does not load there: "));
  EXPECT_EQ(
      compare("r = RandomNormalLike (x) y = Add (x, r)", "z = Neg (x) r = RandomNormalLike (z) y = Add (x, r)").reason,
      "the model draws random numbers");
}

TEST_F(CompareOutputs, TriesLargerSizesAndBothBranches) {
  const auto with = [&](const char* other) {
    return fmt::format(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[batch, 3, width] x, bool[1] c) => (float[batch, 3, out] y) {{
  p = MaxPool <kernel_shape = [20]> (x)
  y = If (c) < then_branch = yes () => (float[batch, 3, out] a) {{ a = Neg (p) }},
               else_branch = no () => (float[batch, 3, out] b) {{ b = {} (p) }} >
}})",
                       other);
  };
  const auto report = compare_models(with("Abs"), with("Abs"));
  EXPECT_TRUE(report.same) << report.reason;
  EXPECT_GT(report.runs, 2U);
  EXPECT_THROW(compare_models(with("Abs"), with("Exp")), Error);
}

}  // namespace
}  // namespace onnxpress::engines

// The check that every result passes: new kinds of errors are refused, those that the original has are not.
#include "onnxpress/tasks/files/valid_result.h"

#include <gtest/gtest.h>

#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress {
namespace {

Model model_of(const std::string& graph, int opset) {
  return text::parse_model("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph, "test",
                           {});
}

// Empty when the result is accepted.
std::string refusal(Model result, const OriginalModel& original = {}) {
  try {
    require_valid_result(result, original);
    return {};
  } catch (const Error& error) {
    return error.what() + ("\n" + error.hint());
  }
}

const std::string kPlain = "g (float[4] x) => (float[4] y) { y = Relu (x) }";
const std::string kBfloat16 =
    "g (float[4] x) => (float[4] y) { h = Cast <to = 16> (x) w = Cast <to = 1> (h) y = Relu (w) }";

TEST(ValidResult, AcceptsValidModelsWithoutAskingForTheOriginal) {
  const OriginalModel fails = []() -> Model { throw Error("", "asked for the original"); };
  EXPECT_EQ(refusal(model_of(kPlain, 9), fails), "");
  EXPECT_EQ(refusal(model_of(kBfloat16, 13), fails), "");
}

TEST(ValidResult, NamesTheNodeTheReasonAndAWayOut) {
  const std::string text = refusal(model_of(kBfloat16, 9), [] { return model_of(kPlain, 9); });
  EXPECT_NE(text.find("(Cast) #0: the result would not be a valid model"), std::string::npos) << text;
  EXPECT_NE(text.find("is bfloat16, but Cast (version 9) returns"), std::string::npos) << text;
  EXPECT_NE(text.find("option `opset`"), std::string::npos) << text;
  EXPECT_NE(refusal(model_of(kBfloat16, 9)), "");
}

TEST(ValidResult, CallsOtherErrorsAFaultOfTheProgram) {
  const std::string text = refusal(model_of("g (float[4] x) => (float[4] y) { y = Relu (gone) }", 17));
  EXPECT_NE(text.find("'gone' is defined nowhere"), std::string::npos) << text;
  EXPECT_NE(text.find("please report it"), std::string::npos) << text;
}

TEST(ValidResult, AcceptsErrorsThatTheOriginalHas) {
  const std::string broken = "g (float[4] x, float[3] z) => (float[4] y) { t = Add (x, z) y = Relu (t) }";
  const OriginalModel original = [&] { return model_of(broken, 9); };
  EXPECT_EQ(refusal(model_of(broken, 9), original), "");
  const std::string worse =
      "g (float[4] x, float[3] z) => (float[4] y) { t = Add (x, z) h = Cast <to = 16> (t) y = Cast <to = 1> (h) }";
  EXPECT_NE(refusal(model_of(worse, 9), original).find("bfloat16"), std::string::npos);
}

}  // namespace
}  // namespace onnxpress

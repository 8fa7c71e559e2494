// Measuring how much each weight of a model matters.
#include "onnxpress/tasks/quantize/search/sensitivity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "onnxpress/tasks/quantize/forms/try_forms.h"
#include "onnxpress/tasks/quantize/search/promise.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/weights/lossy/scheme.h"

namespace onnxpress {
namespace {

std::string waves(double speed) {
  std::string text;
  for (int i = 0; i < 1024; ++i) text += fmt::format("{}{:.6f}", i ? "," : "", std::sin(speed * i));
  return text;
}

// The second weight is used only if the limit is above 10, which no made-up input has.
Model model_with_unused_weight() {
  return text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[1,32] x, float limit) => (float[1,32] y) <float[32,32] used = {)" +
                           waves(1.3) + "}, float[32,32] unused = {" + waves(0.7) + R"(}, float ten = {10}>
    { a = MatMul(x, used)  b = MatMul(x, unused)  c = Greater(limit, ten)  y = Where(c, b, a) })");
}

class SensitivityTest : public testing::Test {
 protected:
  void SetUp() override {
    planned = plan_weights(model, options);
    try_forms(model, planned, options, weights::Target::kOrt, {[](const PlannedWeight&) {
                return std::vector{weights::parse_scheme("int2"), weights::parse_scheme("int4"),
                                   weights::parse_scheme("int8"), weights::parse_scheme("int16")};
              }},
              {});
    std::erase_if(planned, [](const PlannedWeight& each) { return each.forms.empty(); });
    for (PlannedWeight& each : planned) each.sensitivity = 1;
  }
  Model model = model_with_unused_weight();
  QuantizeOptions options;
  std::vector<PlannedWeight> planned;
};

TEST_F(SensitivityTest, NamesWeightsThatChangeNoOutput) {
  ASSERT_EQ(planned.size(), 2U);
  OutputError outputs(model, options);
  const auto forms = forms_with_visible_noise(planned);
  const auto without_effect = measure_sensitivity(planned, outputs, forms, outputs.all(), 1e12, {});
  ASSERT_EQ(without_effect.size(), 1U);
  EXPECT_EQ(planned[without_effect.front()].weight.value->name(), "unused");
}

TEST_F(SensitivityTest, KeepsWeightsThatChangeNoOutputAsGoodAsTheOutputs) {
  OutputError outputs(model, options);
  const QualityResult result = choose_by_quality(planned, outputs, {.quality = 30}, {});
  EXPECT_TRUE(result.holds);
  EXPECT_EQ(result.without_effect, 1U);
  for (const PlannedWeight& each : planned) {
    ASSERT_TRUE(each.chosen) << each.weight.value->name();
    EXPECT_GE(each.forms[*each.chosen].weight_quality(), 30) << each.weight.value->name();
  }
}

// Made-up inputs show less than real ones: even if nothing is seen at the outputs, two bits are not enough for 30 dB.
TEST_F(SensitivityTest, KeepsAllWeightsHalfAsGoodAsTheOutputs) {
  OutputError outputs(model, options);
  choose_by_quality(planned, outputs, {.quality = 30}, {});
  for (const PlannedWeight& each : planned) {
    for (const WeightForm& form : each.forms) EXPECT_GE(form.weight_quality(), 15);
  }
}

TEST_F(SensitivityTest, KeepsFormsThatARecipeAsksFor) {
  for (PlannedWeight& each : planned) each.requested = each.forms.front().scheme;
  const std::size_t forms = planned.front().forms.size();
  OutputError outputs(model, options);
  choose_by_quality(planned, outputs, {.quality = 30}, {});
  EXPECT_EQ(planned.front().forms.size(), forms);
}

TEST_F(SensitivityTest, MeasuresTheChosenFormOrTheMostPreciseOne) {
  planned[0].chosen = 1;
  const auto forms = forms_of_choice(planned);
  EXPECT_EQ(forms[0], 1U);
  EXPECT_EQ(forms[1], planned[1].forms.size() - 1);
}

}  // namespace
}  // namespace onnxpress

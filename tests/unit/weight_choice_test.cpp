// Choosing forms of weights within a limit for the total harm.
#include <gtest/gtest.h>

#include "onnxpress/tasks/quantize/search/price.h"

namespace onnxpress {
namespace {

// Each form takes half the bytes of the one before, with four times the noise.
PlannedWeight weight_of(std::uint64_t before, double sensitivity) {
  PlannedWeight made;
  made.before = before;
  made.sensitivity = sensitivity;
  double noise = 64;
  for (std::uint64_t bytes = before / 16; bytes < before; bytes *= 2, noise /= 4) {
    WeightForm form;
    form.bytes = bytes;
    form.cost = static_cast<double>(bytes);
    form.noise = noise;
    made.forms.push_back(std::move(form));
  }
  return made;
}

TEST(WeightChoice, TakesTheHarmThatPricesLeave) {
  std::vector<PlannedWeight> planned;
  for (int i = 0; i < 8; ++i) planned.push_back(weight_of(1024, 1));  // all equal: prices change all of them at once
  for (double most = 10; most < 400; most *= 1.3) {
    choose_by_harm(planned, most);
    const double by_price = cost_of_choice(planned), left = most - harm_of_choice(planned);
    const bool any = take_smaller(planned, left);
    EXPECT_LE(harm_of_choice(planned), most * (1 + 1e-12));
    EXPECT_EQ(any, cost_of_choice(planned) < by_price);
    EXPECT_LT(most - harm_of_choice(planned), 48.001);  // the next step of a single weight would be too much
  }
}

TEST(WeightChoice, TakesNothingWithoutRoom) {
  std::vector<PlannedWeight> planned = {weight_of(1024, 1), weight_of(2048, 3)};
  EXPECT_FALSE(take_smaller(planned, 0));
  EXPECT_FALSE(planned[0].chosen || planned[1].chosen);
  EXPECT_TRUE(take_smaller(planned, 1));  // 64, 16, 4, 1: the last one fits, for the weight that is less sensitive
  EXPECT_EQ(planned[0].chosen, 3U);
  EXPECT_FALSE(planned[1].chosen);
}

TEST(WeightChoice, ChangesOnlyTheMembersOfAGroup) {
  std::vector<PlannedWeight> planned = {weight_of(1024, 1), weight_of(2048, 3), weight_of(4096, 1)};
  EXPECT_TRUE(take_smaller(planned, 1000, std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(planned[0].chosen, 0U);
  EXPECT_FALSE(planned[1].chosen);
  EXPECT_EQ(planned[2].chosen, 0U);
  EXPECT_FALSE(take_smaller(planned, 1000, std::vector<std::size_t>{}));
}

}  // namespace
}  // namespace onnxpress

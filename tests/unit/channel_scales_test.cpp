// Channels between layers: where they can be scaled, by how much, and that scaling changes no bit of a result while it
// improves rounded weights.
#include "onnxpress/weights/lossy/channel_scales.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/tasks/quantize/layers/layer_inputs.h"
#include "onnxpress/tasks/quantize/layers/scale_channels.h"
#include "onnxpress/tasks/quantize/output_error.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/weights/find/channel_links.h"

namespace onnxpress::weights {
namespace {

std::vector<ChannelLink> links_of(std::string_view nodes) {
  const Model model = text::parse_model(std::string(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[1,2,4,4] x, float[3,2] m) => (float y, float z)
      <float[2,2,1,1] u = {1,2,3,4}, float[3,2,1,1] v = {1,2,3,4,5,6}, float[2] b = {1,2}, float[2] c = {1,2},
       float[2,2] w = {1,2,3,4}, float[2,3] t = {1,2,3,4,5,6}, float[2,3] s = {1,2,3,4,5,6}>
    { )") + std::string(nodes) + " }");
  std::vector<ChannelLink> links = find_channel_links(model.graph());
  for (ChannelLink& link : links) link.between = nullptr;  // the model no longer exists
  return links;
}

TEST(ChannelLinks, AreFoundBetweenLayers) {
  for (const std::string_view nodes :
       {"p = Conv(x, u, b)  q = Relu(p)  y = Conv(q, v)  z = Neg(m)",
        "p = Conv(x, u)  q = LeakyRelu(p)  r = MaxPool<kernel_shape = [2,2]>(q)  y = Conv(r, v)  z = Neg(m)",
        "p = MatMul(m, w)  q = Add(b, p)  r = Relu(q)  y = MatMul(r, t)  z = Neg(x)",
        "p = LayerNormalization(m, b, c)  y = MatMul(p, t)  z = MatMul(p, s)",
        "p = Mul(m, b)  q = Add(p, c)  y = Gemm(q, t)  z = Neg(x)",
        "p = Gemm(m, w, b)  y = MatMul(p, t)  z = Neg(x)"}) {
    const auto links = links_of(nodes);
    ASSERT_EQ(links.size(), 1U) << nodes;
    EXPECT_EQ(links.front().channels, 2U);
  }
}

TEST(ChannelLinks, AreNotThereWhereOthersWouldNotice) {
  for (const std::string_view nodes :
       {"p = Conv(x, u, b)  z = Relu(p)  y = Conv(z, v)",                    // an output
        "p = Conv(x, u, b)  q = Relu(p)  y = Conv(q, v)  z = Neg(q)",        // another reader
        "p = Conv(x, u, b)  q = Sigmoid(p)  y = Conv(q, v)  z = Neg(m)",     // does not scale
        "p = Conv(x, u, b)  q = Conv(p, v)  y = Add(q, p)  z = Neg(m)",      // also used around the second layer
        "p = Conv(x, u, b)  y = Conv(p, v)  z = Mul(m, b)",                  // a shared bias
        "p = MatMul(m, w)  q = Add(p, p)  y = MatMul(q, t)  z = Neg(x)"}) {  // not a constant
    EXPECT_TRUE(links_of(nodes).empty()) << nodes;
  }
}

TEST(ChannelScales, ArePowersOfTwoAroundOne) {
  EXPECT_EQ(powers_of_two(std::vector<double>{1, 4, 16}), (std::vector<float>{0.25F, 1, 4}));
  EXPECT_EQ(powers_of_two(std::vector<double>{0, 1e-30, 1, 1e30, NAN}), (std::vector<float>{1, 1 / 256.0F, 1, 256, 1}));
  EXPECT_EQ(equalizing_scales(std::vector<double>{16, 1}, std::vector<double>{1, 16}), (std::vector<float>{4, 0.25F}));
}

// Two layers of 64 channels, of which every eighth is much louder.
Model loud_channels() {
  std::mt19937 random(3);
  std::normal_distribution<float> distribution(0, 1);
  const auto matrix = [&](std::size_t rows, std::size_t columns, float loud) {
    std::string text;
    for (std::size_t i = 0; i < rows * columns; ++i)
      text += (i ? "," : "") + std::to_string(distribution(random) * (i % columns % 8 == 0 ? loud : 1) / 8);
    return text;
  };
  return text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[32,64] x) => (float[32,64] y) <float[64,64] u = {)" +
                           matrix(64, 64, 50) + "}, float[64,64] v = {" + matrix(64, 64, 1) +
                           "}> { p = MatMul(x, u)  q = Relu(p)  y = MatMul(q, v) }");
}

std::vector<float> result_of(const Model& model) {
  ops::Array x = ops::Array::make<float>({32, 64});
  for (std::size_t i = 0; i < x.count(); ++i) x.mutable_data<float>()[i] = std::sin(static_cast<float>(i * i % 1009));
  analysis::Evaluator evaluator(model);
  const auto results = evaluator.run({{"x", x}});
  if (!results) return {};
  const auto y = results->front().array()->data<float>();
  return {y.begin(), y.end()};
}

TEST(ScaleChannels, ChangesNoResultAndIsNamed) {
  Model model = loud_channels();
  const std::vector<float> before = result_of(model);
  QuantizeOptions options;
  options.quality = 30;
  OutputError outputs(model, options);
  std::vector<PlannedWeight> planned = plan_weights(model, options);
  sample_layers(model, planned, outputs, {});
  const auto changed = scale_channels(model, planned, options, {});
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_GT(changed.front().largest_change, 0);
  EXPECT_EQ(std::ranges::count(planned, std::string(), &PlannedWeight::scaled), 1);
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(result_of(model), before);
}

}  // namespace
}  // namespace onnxpress::weights

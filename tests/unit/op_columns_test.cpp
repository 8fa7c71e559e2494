// Traits and columns of the op rows: what holds for one version of an op holds for all, and names in rows exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "onnxpress/ops/core/op.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::ops {
namespace {

TEST(OpColumnsTest, DoNotChangeWithTheVersion) {
  std::map<std::string, const Op*> first;
  for (const Op& op : all_ops()) {
    if (!op.def) continue;
    const std::string name = std::string(op.schema->domain) + "." + std::string(op.schema->name);
    const Op& other = *first.try_emplace(name, &op).first->second;
    // Dropout was random before it had a training mode.
    EXPECT_EQ(op.def->traits | kRandom, other.def->traits | kRandom) << name;
    EXPECT_EQ(op.def->weights.slots, other.def->weights.slots) << name;
    EXPECT_EQ(op.def->weights.axes, other.def->weights.axes) << name;
    EXPECT_EQ(op.def->integer_form, other.def->integer_form) << name;
    EXPECT_EQ(op.def->indices, other.def->indices) << name;
    EXPECT_EQ(op.def->ort_lacks, other.def->ort_lacks) << name;
  }
}

TEST(OpColumnsTest, NameOperandsThatThereAre) {
  for (const Op& op : all_ops()) {
    if (!op.def) continue;
    const std::size_t operands = op.schema->operands.size();
    const bool variadic = operands > 0 && op.schema->operands.back().variadic;
    EXPECT_LT(op.def->indices, std::max<std::size_t>(operands, 1)) << op.schema->name;
    if (op.def->indices != 0) {
      EXPECT_TRUE(op.schema->attribute("axis")) << op.schema->name;
    }
    if (!variadic && op.def->weights.slots != 0) {
      EXPECT_LT(op.def->weights.slots, 1U << operands) << op.schema->name << " " << op.schema->since;
    }
    if (!op.def->integer_form.empty()) {
      EXPECT_TRUE(newest_op("", op.def->integer_form)) << op.schema->name;
      ASSERT_TRUE(op.def->weights.axes) << op.schema->name;
    }
  }
}

TEST(OpColumnsTest, AViewMovesData) {
  for (const Op& op : all_ops()) {
    if (op.has(kView)) {
      EXPECT_TRUE(op.has(kMovesData)) << op.schema->name;
    }
    if (op.has(kDecodes)) {
      EXPECT_FALSE(op.has_any(kRandom | kHasBodies)) << op.schema->name;
      EXPECT_TRUE(op.def->evaluate) << op.schema->name;
    }
  }
}

TEST(OpColumnsTest, ChannelsOfAGemmFollowItsAttributes) {
  const Model model = text::parse_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[2,3] x, float[4,3] w) => (float[2,4] y) {\n"
      "  y = Gemm <transB = 1> (x, w)\n}");
  const Node& gemm = *model.graph().nodes().front();
  const Op* op = newest_op("", "Gemm");
  ASSERT_TRUE(op && op->takes_weight(1));
  EXPECT_FALSE(op->takes_weight(2));
  EXPECT_FALSE(op->takes_weight(99));
  const WeightAxes axes = op->def->weights.axes(gemm, 1, 2);
  EXPECT_EQ(axes.channel_begin, 0U);
  EXPECT_EQ(axes.channel_end, 1U);
  EXPECT_EQ(axes.reduced_begin, 1U);
}

}  // namespace
}  // namespace onnxpress::ops

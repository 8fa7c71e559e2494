// Memory plans: no two buffers that are alive at the same time overlap, and pools are not much larger than the peak.
#include <gtest/gtest.h>

#include <random>

#include "onnxpress/analysis/memory/plan.h"

namespace onnxpress::analysis {
namespace {

TEST(MemoryPlan, PlacesNothingForNothing) {
  const MemoryPlan plan = plan_memory({});
  EXPECT_EQ(plan.pool, 0u);
  EXPECT_EQ(plan.live_peak, 0u);
}

TEST(MemoryPlan, ReusesMemoryOfWhatIsOver) {
  const std::vector<Buffer> buffers = {{100, 0, 1}, {50, 1, 2}, {100, 2, 3}};
  const MemoryPlan plan = plan_memory(buffers);
  EXPECT_EQ(plan.live_peak, 150u);
  EXPECT_EQ(plan.pool, 150u);
  EXPECT_EQ(overlap_in(buffers, plan.offsets).a, -1);
}

TEST(MemoryPlan, RoundsOffsetsToTheAlignment) {
  const std::vector<Buffer> buffers = {{10, 0, 1}, {10, 0, 1}};
  const MemoryPlan plan = plan_memory(buffers, {.alignment = 64});
  EXPECT_EQ(plan.pool, 128u);
  for (const std::uint64_t offset : plan.offsets) EXPECT_EQ(offset % 64, 0u);
}

TEST(MemoryPlan, TheCheckFindsOverlaps) {
  const std::vector<Buffer> buffers = {{100, 0, 5}, {100, 3, 8}};
  EXPECT_NE(overlap_in(buffers, std::vector<std::uint64_t>{0, 50}).a, -1);
  EXPECT_NE(overlap_in(buffers, std::vector<std::uint64_t>{50, 0}).a, -1);
  EXPECT_EQ(overlap_in(buffers, std::vector<std::uint64_t>{0, 100}).a, -1);
}

TEST(MemoryPlan, RandomLifetimesNeverOverlapAndStayNearThePeak) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Buffer> buffers;
    for (std::uint32_t i = 0; i < 120; ++i) {
      const auto first = static_cast<std::uint32_t>(random() % 100);
      buffers.push_back({1 + random() % 1000, first, first + static_cast<std::uint32_t>(random() % 8)});
    }
    const MemoryPlan plan = plan_memory(buffers);
    EXPECT_EQ(overlap_in(buffers, plan.offsets).a, -1);
    EXPECT_GE(plan.pool, plan.live_peak);
    EXPECT_LE(static_cast<double>(plan.pool), 1.25 * static_cast<double>(plan.live_peak));
    for (std::size_t i = 0; i < buffers.size(); ++i) EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.pool);
  }
}

}  // namespace
}  // namespace onnxpress::analysis

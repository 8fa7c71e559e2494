// Places buffers in one pool of memory: buffers that live at the same time must not overlap, and the pool should be
// hardly larger than the peak.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace onnxpress::analysis {

// Lives from step `first` to step `last`, both included.
struct Buffer {
  std::uint64_t bytes = 0;
  std::uint32_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::uint64_t> offsets;  // one per buffer, in the same order
  std::uint64_t pool = 0;              // size of the pool in bytes
  std::uint64_t live_peak = 0;         // the most bytes alive at one step: no pool can be smaller
  std::uint32_t peak_step = 0;         // the first step that reaches this peak
  std::string_view strategy;           // the strategy that gave the smallest pool
};

struct PlanOptions {
  std::uint64_t alignment = 1;  // of offsets; sizes are rounded up to it
};

// Tries several strategies and returns the smallest pool: by size, by lifetime, in order of time, each with first fit
// and best fit, then improved by moving the buffers at the top. Deterministic.
MemoryPlan plan_memory(std::span<const Buffer> buffers, const PlanOptions& options = {});

// The most bytes alive at one step.
std::uint64_t live_peak_of(std::span<const Buffer> buffers);

// Two buffers that live at the same time and overlap; {-1, -1} when there are none. Sweeps over time, so tests do not
// depend on the planner's own code.
struct Overlap {
  std::int64_t a = -1, b = -1;
};
Overlap overlap_in(std::span<const Buffer> buffers, std::span<const std::uint64_t> offsets);

}  // namespace onnxpress::analysis

// When each value is alive, how many bytes it takes, and which values can share memory: the input of a memory plan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/analysis/memory/plan.h"

namespace onnxpress::analysis {

// One value that a node of the main graph computes, or the memory that the bodies of one node need while it runs.
struct Activation {
  const Value* value = nullptr;  // null for the bodies of `node`
  const Node* node = nullptr;    // its producer
  std::uint64_t bytes = 0;
  std::uint32_t first = 0, last = 0;  // steps: positions of nodes in the graph
  std::int64_t buffer = -1;           // index of its buffer
  bool is_view = false;               // its operand's memory with another shape
  bool in_place = false;              // overwrites an operand that is not needed any more
};

struct ActivationMemory {
  std::vector<Activation> values;
  std::vector<Buffer> buffers;        // the memory to place: each holds one value, or several that share it
  std::uint64_t all = 0;              // bytes of all values together
  std::uint64_t plain_peak = 0;       // the most bytes alive at once if nothing is shared
  MemoryPlan plan;                    // with sharing
  std::vector<const Value*> unknown;  // values whose size is not known; not part of any number
};

struct ActivationOptions {
  bool share = true;            // allow views and in-place results
  std::uint64_t alignment = 1;  // of offsets
  // Sizes of symbols that the facts leave open. Values that need a size it does not know are listed as unknown.
  ops::DimMath::SizeOf size_of;
};

// Bytes of a tensor, with `size_of` for its symbols; nullopt when a size is not known.
std::optional<std::uint64_t> bytes_of(const Facts& facts, const Value& value, const ops::DimMath::SizeOf& size_of);

// The caller owns inputs and receives outputs: outputs live to the end; inputs and constants are not counted.
ActivationMemory activations_of(const Facts& facts, const Graph& graph, const ActivationOptions& options);

}  // namespace onnxpress::analysis

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

// One value that a node of the main graph makes, or what the bodies of one node need while it runs.
struct Activation {
  const Value* value = nullptr;  // null: the bodies of `node`
  const Node* node = nullptr;    // that makes it
  std::uint64_t bytes = 0;
  std::uint32_t first = 0, last = 0;  // steps: positions of nodes in the graph
  std::int64_t buffer = -1;           // index of the buffer it lives in
  bool is_view = false;               // the value it is made from, under another shape
  bool in_place = false;              // written over the operand that dies with the node
};

struct ActivationMemory {
  std::vector<Activation> values;
  std::vector<Buffer> buffers;        // what has to be placed: each holds one value, or several that share it
  std::uint64_t all = 0;              // bytes of all values together
  std::uint64_t plain_peak = 0;       // the most alive at once when nothing is shared
  MemoryPlan plan;                    // with sharing
  std::vector<const Value*> unknown;  // values whose size is not known: in no figure
};

struct ActivationOptions {
  bool share = true;            // views and work in place
  std::uint64_t alignment = 1;  // of offsets
  // Sizes of symbols that the facts leave open; values that need one that it does not know are unknown.
  ops::DimMath::SizeOf size_of;
};

// Bytes of a tensor with sizes for its symbols; nullopt when they are not known.
std::optional<std::uint64_t> bytes_of(const Facts& facts, const Value& value, const ops::DimMath::SizeOf& size_of);

// The caller owns inputs and gets outputs: outputs live to the end, inputs and constants are not counted.
ActivationMemory activations_of(const Facts& facts, const Graph& graph, const ActivationOptions& options);

}  // namespace onnxpress::analysis

/// \file
/// Plans where each activation of a model goes in one pool of memory, for people who write runtimes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"
#include "onnxpress/profile.h"

namespace onnxpress {

/// Options of memory().
struct MemoryOptions {
  /// [] its fields stand here
  BindingOptions bindings;
  /// a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of shape
  /// rules
  std::optional<std::string> custom_ops;
  /// offsets and sizes are multiples of this many bytes (default 1)
  std::uint64_t align = 1;
  /// look for an order of nodes with a lower peak
  bool reorder = false;
  /// [] its fields stand here
  LoadOptions load;
};

/// One value in the pool.
struct PlacedValue {
  /// name of the value; `bodies of NODE` for the memory of bodies while that node runs
  std::string name;
  /// its type, with the assumed sizes put in
  std::string type;
  /// its offset in the pool
  std::uint64_t offset = 0;
  /// its size
  std::uint64_t bytes = 0;
  /// position of the node that computes it
  std::uint64_t first = 0;
  /// position of the last node that reads it; for outputs, the number of nodes
  std::uint64_t last = 0;
  /// the node that computes it
  std::string node;
  /// `view` or `in place` if it shares the memory of an operand; otherwise empty
  std::string shares;
};

/// The report of memory().
struct MemoryReport {
  /// path, as given
  std::string file;
  /// nodes of the main graph
  std::uint64_t nodes = 0;
  /// bytes of the pool
  std::uint64_t pool = 0;
  /// the most memory in use at once; no pool can be smaller
  std::uint64_t peak = 0;
  /// the same if no values share memory
  std::uint64_t plain_peak = 0;
  /// the node that runs at the peak
  std::string peak_node;
  /// bytes of all values together
  std::uint64_t activations = 0;
  /// bytes of weights, which are not in the pool
  std::uint64_t weights = 0;
  /// bytes of inputs, which are not in the pool
  std::uint64_t inputs = 0;
  /// alignment of offsets, in bytes
  std::uint64_t align = 1;
  /// the placement strategy that gave the smallest pool
  std::string strategy;
  /// sizes assumed for dims that were not given
  std::vector<AssumedSize> assumed;
  /// values whose size is not known; they are not in the pool
  std::vector<std::string> unknown;
  /// peak in the order of the file (`reorder`); otherwise null
  std::optional<std::uint64_t> peak_before;
  /// no order of nodes has a lower peak (`reorder`)
  bool optimal_order = false;
  /// names of the nodes in the order that was found (`reorder`)
  std::vector<std::string> order;
  /// every value in the pool, in the order of the nodes
  std::vector<PlacedValue> values;
};

/// Makes a plan, and checks that no two values that are alive at the same time overlap. With option `reorder`, the
/// model gets the order that was found. Throws Error when an option does not fit the model.
MemoryReport plan_memory(const Model& model, const MemoryOptions& options = {});

/// The same, and the model gets the order of option `reorder`.
MemoryReport reorder(Model& model, MemoryOptions options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const MemoryReport& report);

/// A header for C and C++: the size of the pool, and a table of names, offsets, sizes and lifetimes.
std::string to_c_header(const MemoryReport& report);

}  // namespace onnxpress

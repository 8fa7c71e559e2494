// Plans where each activation of a model goes in one pool of memory, for people who write runtimes: `onnxpress memory`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/profile/profile_report.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress::tasks {

struct MemoryOptions {
  BindingOptions bindings;
  std::optional<std::string> custom_ops;
  std::uint64_t align = 1;
  bool reorder = false;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("", &MemoryOptions::bindings, "");
    visit("custom_ops", &MemoryOptions::custom_ops,
          "a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of "
          "shape rules");
    visit("align", &MemoryOptions::align, "offsets and sizes are multiples of this many bytes (default 1)");
    visit("reorder", &MemoryOptions::reorder, "look for an order of nodes with a lower peak");
    visit("", &MemoryOptions::load, "");
  }
};

// One value in the pool.
struct PlacedValue {
  std::string name, type, node, shares;
  std::uint64_t offset = 0, bytes = 0, first = 0, last = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &PlacedValue::name,
          "name of the value; `bodies of NODE` for the memory of bodies while that node runs");
    visit("type", &PlacedValue::type, "its type, with the assumed sizes put in");
    visit("offset", &PlacedValue::offset, "its offset in the pool");
    visit("bytes", &PlacedValue::bytes, "its size");
    visit("first", &PlacedValue::first, "position of the node that computes it");
    visit("last", &PlacedValue::last, "position of the last node that reads it; for outputs, the number of nodes");
    visit("node", &PlacedValue::node, "the node that computes it");
    visit("shares", &PlacedValue::shares,
          "`view` or `in place` if it shares the memory of an operand; otherwise empty");
  }
};

struct MemoryReport {
  std::string file, strategy;
  std::uint64_t nodes = 0, pool = 0, peak = 0, plain_peak = 0, activations = 0, weights = 0, inputs = 0, align = 1;
  std::string peak_node;
  std::vector<AssumedSize> assumed;
  std::vector<std::string> unknown, order;
  std::optional<std::uint64_t> peak_before;
  bool optimal_order = false;
  std::vector<PlacedValue> values;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &MemoryReport::file, "path, as given");
    visit("nodes", &MemoryReport::nodes, "nodes of the main graph");
    visit("pool", &MemoryReport::pool, "bytes of the pool");
    visit("peak", &MemoryReport::peak, "the most memory in use at once; no pool can be smaller");
    visit("plain_peak", &MemoryReport::plain_peak, "the same if no values share memory");
    visit("peak_node", &MemoryReport::peak_node, "the node that runs at the peak");
    visit("activations", &MemoryReport::activations, "bytes of all values together");
    visit("weights", &MemoryReport::weights, "bytes of weights, which are not in the pool");
    visit("inputs", &MemoryReport::inputs, "bytes of inputs, which are not in the pool");
    visit("align", &MemoryReport::align, "alignment of offsets, in bytes");
    visit("strategy", &MemoryReport::strategy, "the placement strategy that gave the smallest pool");
    visit("assumed", &MemoryReport::assumed, "sizes assumed for dims that were not given");
    visit("unknown", &MemoryReport::unknown, "values whose size is not known; they are not in the pool");
    visit("peak_before", &MemoryReport::peak_before, "peak in the order of the file (`reorder`); otherwise null");
    visit("optimal_order", &MemoryReport::optimal_order, "no order of nodes has a lower peak (`reorder`)");
    visit("order", &MemoryReport::order, "names of the nodes in the order that was found (`reorder`)");
    visit("values", &MemoryReport::values, "every value in the pool, in the order of the nodes");
  }
};

// Makes a plan, and checks that no two values that are alive at the same time overlap. With option `reorder`, the model
// gets the order that was found. Throws Error when an option does not fit the model.
MemoryReport plan_memory(const Model& model, const MemoryOptions& options = {});
// The same, and the model gets the order of option `reorder`.
MemoryReport reorder(Model& model, MemoryOptions options = {});

std::string to_json(const MemoryReport& report);
// A header for C and C++: the size of the pool, and a table of names, offsets, sizes and lifetimes.
std::string to_c_header(const MemoryReport& report);

}  // namespace onnxpress::tasks

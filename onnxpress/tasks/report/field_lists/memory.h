// The fields of the structs in onnxpress/memory.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/memory.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/field_lists/profile.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Fields<MemoryOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("", &MemoryOptions::bindings, "");
    visit("custom_ops", &MemoryOptions::custom_ops, "a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of shape rules");
    visit("align", &MemoryOptions::align, "offsets and sizes are multiples of this many bytes (default 1)");
    visit("reorder", &MemoryOptions::reorder, "look for an order of nodes with a lower peak");
    visit("", &MemoryOptions::load, "");
  }
};

template <>
struct Fields<PlacedValue> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &PlacedValue::name, "name of the value; `bodies of NODE` for the memory of bodies while that node runs");
    visit("type", &PlacedValue::type, "its type, with the assumed sizes put in");
    visit("offset", &PlacedValue::offset, "its offset in the pool");
    visit("bytes", &PlacedValue::bytes, "its size");
    visit("first", &PlacedValue::first, "position of the node that computes it");
    visit("last", &PlacedValue::last, "position of the last node that reads it; for outputs, the number of nodes");
    visit("node", &PlacedValue::node, "the node that computes it");
    visit("shares", &PlacedValue::shares, "`view` or `in place` if it shares the memory of an operand; otherwise empty");
  }
};

template <>
struct Fields<MemoryReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
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

}  // namespace onnxpress

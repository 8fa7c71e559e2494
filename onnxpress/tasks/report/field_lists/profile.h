// The fields of the structs in onnxpress/profile.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/profile.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<CountStyle> {
  static constexpr std::pair<std::string_view, CountStyle> kAll[] = {
      {"mac", CountStyle::kMac},
      {"flop", CountStyle::kFlop},
      {"onnx-tool", CountStyle::kOnnxTool},
      {"fvcore", CountStyle::kFvcore},
      {"thop", CountStyle::kThop},
  };
};

template <>
struct Fields<AmountTerm> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("coefficient", &AmountTerm::coefficient, "the coefficient as a string of digits, because it may have more than 64 bits");
    visit("factors", &AmountTerm::factors, "symbols and expressions that it is multiplied with");
  }
};

template <>
struct Fields<AmountLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("value", &AmountLine::value, "the number, at the assumed sizes; null when it is not known or too large");
    visit("formula", &AmountLine::formula, "the same in terms of the model's symbols");
    visit("terms", &AmountLine::terms, "the formula as a sum of products, for programs");
    visit("at_least", &AmountLine::at_least, "true when some nodes could not be counted");
  }
};

template <>
struct Fields<AssumedSize> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("symbol", &AssumedSize::symbol, "name of the dim");
    visit("size", &AssumedSize::size, "its size in all numbers of the report");
  }
};

template <>
struct Fields<OpProfile> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("op", &OpProfile::op, "operator, with its domain where that is not the standard one");
    visit("nodes", &OpProfile::nodes, "nodes that are counted");
    visit("work", &OpProfile::work, "what `count` asks for");
    visit("macs", &OpProfile::macs, "multiply-adds");
    visit("flops", &OpProfile::flops, "2 for each multiply-add, and all other operations");
    visit("parameters", &OpProfile::parameters, "elements of weights, each tensor at its first user");
    visit("weight_bytes", &OpProfile::weight_bytes, "their bytes");
    visit("read", &OpProfile::read, "bytes read");
    visit("written", &OpProfile::written, "bytes written");
  }
};

template <>
struct Words<Bound> {
  static constexpr std::pair<std::string_view, Bound> kAll[] = {
      {"", Bound::kNone},
      {"compute", Bound::kCompute},
      {"memory", Bound::kMemory},
      {"overhead", Bound::kOverhead},
  };
};

template <>
struct Fields<NodeProfile> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &NodeProfile::name, "name of the node, or of its first output");
    visit("op", &NodeProfile::op, "operator, with its domain where that is not the standard one");
    visit("scope", &NodeProfile::scope, "the layer it belongs to, as the exporter wrote it; empty if it did not");
    visit("inputs", &NodeProfile::inputs, "types of its operands; an empty string for an omitted one");
    visit("outputs", &NodeProfile::outputs, "types of its results");
    visit("work", &NodeProfile::work, "what `count` asks for; null when not known");
    visit("macs", &NodeProfile::macs, "multiply-adds; null when not known");
    visit("macs_formula", &NodeProfile::macs_formula, "the same in terms of the model's symbols; empty for a number");
    visit("flops", &NodeProfile::flops, "2 for each multiply-add, and all other operations; null when not known");
    visit("parameters", &NodeProfile::parameters, "elements of the weights that it is the first to use");
    visit("weight_bytes", &NodeProfile::weight_bytes, "their bytes");
    visit("read", &NodeProfile::read, "bytes read, weights included; 0 for views; null when not known");
    visit("written", &NodeProfile::written, "bytes written; 0 for views; null when not known");
    visit("result_bytes", &NodeProfile::result_bytes, "bytes of its results, including views; null when not known");
    visit("live", &NodeProfile::live, "bytes of activations in use while it runs (main graph only)");
    visit("times", &NodeProfile::times, "how often it runs; null if that depends on the data");
    visit("zeros", &NodeProfile::zeros, "share of zeros in its sparsest weight (`sparsity`)");
    visit("effective_macs", &NodeProfile::effective_macs, "multiply-adds with nonzero weights (`sparsity`)");
    visit("microseconds", &NodeProfile::microseconds, "median time of its kernels (`time`)");
    visit("p90_microseconds", &NodeProfile::p90_microseconds, "90th percentile of that time (`time`)");
    visit("covers", &NodeProfile::covers, "other nodes that the runtime computes in the same kernel (`time`)");
    visit("kernel_flops", &NodeProfile::kernel_flops, "operations of the kernel, including the nodes that it covers (`time`)");
    visit("gflops_per_s", &NodeProfile::gflops_per_s, "achieved 10^9 operations per second (`time`)");
    visit("gb_per_s", &NodeProfile::gb_per_s, "achieved 10^9 bytes per second (`time`)");
    visit("compute_bits", &NodeProfile::compute_bits, "bits of the numbers it computes with: 32, 16 or 8");
    visit("roof_microseconds", &NodeProfile::roof_microseconds, "least time on the device; null without a device (`device`, `time`)");
    visit("roof_share", &NodeProfile::roof_share, "roof_microseconds / microseconds (`time`)");
    visit("bound", &NodeProfile::bound, "what limits it on the device: compute or memory, whichever takes longer, or overhead if neither explains the time");
    visit("depth", &NodeProfile::depth, "0 in the main graph, 1 in a body or function of it, ...");
    visit("known", &NodeProfile::known, "false if the cost of the op is unknown");
    visit("estimate", &NodeProfile::estimate, "true if the work depends on the algorithm or on the data");
    visit("counted", &NodeProfile::counted, "false in a branch of an If that is not counted");
  }
};

template <>
struct Fields<LayerLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &LayerLine::name, "name of the layer; `*` stands for the numbers of repeated layers");
    visit("op", &LayerLine::op, "operator, for lines that are nodes; empty for a layer");
    visit("depth", &LayerLine::depth, "depth in the tree; the deeper lines that follow belong to it");
    visit("repeats", &LayerLine::repeats, "how many equal layers it stands for; figures are totals for all of them");
    visit("nodes", &LayerLine::nodes, "nodes in it");
    visit("work", &LayerLine::work, "what `count` asks for");
    visit("parameters", &LayerLine::parameters, "elements of its weights");
    visit("weight_bytes", &LayerLine::weight_bytes, "their bytes");
    visit("written", &LayerLine::written, "bytes that its nodes write");
    visit("microseconds", &LayerLine::microseconds, "time of its kernels (`time`)");
  }
};

template <>
struct Fields<ChoiceLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("node", &ChoiceLine::node, "name of the If");
    visit("then_macs", &ChoiceLine::then_macs, "multiply-adds of its then_branch");
    visit("else_macs", &ChoiceLine::else_macs, "multiply-adds of its else_branch");
    visit("counted", &ChoiceLine::counted, "the branch that counts, then or else: the larger one");
  }
};

template <>
struct Fields<SparseWeight> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &SparseWeight::name, "name of the weight");
    visit("type", &SparseWeight::type, "its type");
    visit("node", &SparseWeight::node, "its first user");
    visit("elements", &SparseWeight::elements, "how many it has");
    visit("zeros", &SparseWeight::zeros, "how many are 0 (in quantized weights: equal to the zero point)");
    visit("ratio", &SparseWeight::ratio, "zeros / elements");
    visit("block_rows", &SparseWeight::block_rows, "rows of the largest block that explains the zeros");
    visit("block_columns", &SparseWeight::block_columns, "likewise");
    visit("block_ratio", &SparseWeight::block_ratio, "share of those blocks that are all zero");
    visit("group_most", &SparseWeight::group_most, "N of N:M: nonzeros in each group; 0 if there is no such pattern");
    visit("group_of", &SparseWeight::group_of, "M of N:M: elements in each group");
    visit("group_axis", &SparseWeight::group_axis, "the axis along which groups run");
    visit("rows", &SparseWeight::rows, "length of the first axis (filters)");
    visit("zero_rows", &SparseWeight::zero_rows, "how many of them are all zero");
    visit("columns", &SparseWeight::columns, "length of the second axis (channels)");
    visit("zero_columns", &SparseWeight::zero_columns, "how many of them are all zero");
    visit("problem", &SparseWeight::problem, "why it could not be read; empty if it could");
  }
};

template <>
struct Fields<SparsityProfile> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("elements", &SparsityProfile::elements, "elements of all weights that were read");
    visit("zeros", &SparsityProfile::zeros, "how many of them are zero");
    visit("bytes", &SparsityProfile::bytes, "bytes that were read");
    visit("effective_macs", &SparsityProfile::effective_macs, "multiply-adds with nonzero weights");
    visit("seconds", &SparsityProfile::seconds, "time to read the weights, in seconds");
    visit("weights", &SparsityProfile::weights, "each weight, most zeros first");
  }
};

template <>
struct Fields<MemoryValue> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &MemoryValue::name, "name of the value");
    visit("type", &MemoryValue::type, "its type");
    visit("bytes", &MemoryValue::bytes, "its size");
  }
};

template <>
struct Fields<MemoryProfile> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("activations", &MemoryProfile::activations, "bytes of all activations together");
    visit("plain_peak", &MemoryProfile::plain_peak, "peak memory if every value has its own memory");
    visit("peak", &MemoryProfile::peak, "peak memory with views and in-place operations");
    visit("pool", &MemoryProfile::pool, "size of one pool that holds all activations, by the best plan found");
    visit("weights", &MemoryProfile::weights, "bytes of weights, including those computed from fewer numbers");
    visit("inputs", &MemoryProfile::inputs, "bytes of inputs, which belong to the caller");
    visit("unknown", &MemoryProfile::unknown, "values whose size is not known; they are in none of these figures");
    visit("peak_node", &MemoryProfile::peak_node, "the node that runs at the peak");
    visit("alive", &MemoryProfile::alive, "values in use at the peak, largest first");
  }
};

template <>
struct Fields<TimeProfile> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("runtime", &TimeProfile::runtime, "version of ONNX Runtime");
    visit("runs", &TimeProfile::runs, "timed runs, after one to warm up");
    visit("threads", &TimeProfile::threads, "threads of the runtime; 0: the runtime decides");
    visit("median_ms", &TimeProfile::median_ms, "median time of a run");
    visit("p90_ms", &TimeProfile::p90_ms, "90th percentile of the time of a run");
    visit("kernels", &TimeProfile::kernels, "number of kernels in one run");
    visit("kernels_ms", &TimeProfile::kernels_ms, "their time in one run: the sum of their medians");
    visit("joined", &TimeProfile::joined, "share of that time that could be assigned to nodes of the model");
  }
};

template <>
struct Fields<RoofProfile> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("device", &RoofProfile::device, "its name; `this machine` if it was measured");
    visit("gflops_float", &RoofProfile::gflops_float, "10^9 operations per second in 32 bits");
    visit("gflops_float16", &RoofProfile::gflops_float16, "the same in 16 bits; 0: as in 32 bits");
    visit("gflops_int8", &RoofProfile::gflops_int8, "the same in 8 bits; 0: as in 16 bits");
    visit("gb_per_s", &RoofProfile::gb_per_s, "10^9 bytes per second");
    visit("cache_gb_per_s", &RoofProfile::cache_gb_per_s, "the same for nodes that move less than 2 MB; 0: not known");
    visit("milliseconds", &RoofProfile::milliseconds, "least time of all nodes together; with `time`, of those that ran");
    visit("compute_ms", &RoofProfile::compute_ms, "the part of that in nodes limited by arithmetic");
    visit("share", &RoofProfile::share, "milliseconds / the measured time of all kernels (`time`)");
  }
};

template <>
struct Fields<ProfileReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &ProfileReport::file, "path, as given");
    visit("count", &ProfileReport::count, "what `count` asked for");
    visit("work", &ProfileReport::work, "total work");
    visit("macs", &ProfileReport::macs, "multiply-adds of one run");
    visit("backward_macs", &ProfileReport::backward_macs, "multiply-adds of the gradients of all weights, in training: as many as in the forward pass for each operand of a product that has a gradient, so twice as many except in the first layer");
    visit("flops", &ProfileReport::flops, "2 for each multiply-add, and all other operations");
    visit("read", &ProfileReport::read, "bytes that nodes read");
    visit("written", &ProfileReport::written, "bytes that nodes write");
    visit("parameters", &ProfileReport::parameters, "elements of all weights, as in `info`");
    visit("index_parameters", &ProfileReport::index_parameters, "of these, integers used as shapes and indices, and flags");
    visit("loaded_parameters", &ProfileReport::loaded_parameters, "elements of the constants that nodes read after everything that depends only on constants is computed, without shapes and indices: a weight stored in a short form counts in full");
    visit("loaded_bytes", &ProfileReport::loaded_bytes, "their bytes");
    visit("tensors", &ProfileReport::tensors, "weights");
    visit("weight_bytes", &ProfileReport::weight_bytes, "their bytes");
    visit("nodes", &ProfileReport::nodes, "nodes of the model, including bodies; functions count once per call");
    visit("assumed", &ProfileReport::assumed, "sizes assumed for dims that were not given");
    visit("inputs", &ProfileReport::inputs, "inputs with their types");
    visit("ops", &ProfileReport::ops, "by operator, most work first");
    visit("node_list", &ProfileReport::node_list, "every node in order; the nodes of a body follow the node that contains it");
    visit("layers", &ProfileReport::layers, "the tree of layers, in the order of the model");
    visit("choices", &ProfileReport::choices, "If nodes whose branch is known only at run time");
    visit("memory", &ProfileReport::memory, "activations, their peak and their plan");
    visit("sparsity", &ProfileReport::sparsity, "zeros in weights; null without option `sparsity`");
    visit("time", &ProfileReport::time, "times measured in ONNX Runtime; null without option `time`");
    visit("roof", &ProfileReport::roof, "least time on a device; null without one");
    visit("too_large", &ProfileReport::too_large, "nodes whose work has more than 62 bits; it is in no total, so totals are lower bounds");
    visit("unknown_ops", &ProfileReport::unknown_ops, "operators whose cost is not known, which makes totals lower bounds");
    visit("seconds", &ProfileReport::seconds, "time of the profile, without reading the file");
  }
};

template <>
struct Fields<ProfileOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("", &ProfileOptions::bindings, "");
    visit("custom_ops", &ProfileOptions::custom_ops, "a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of shape rules");
    visit("cost", &ProfileOptions::cost, "a text file that gives the work of ops, one per line (docs/commands/profile.md)");
    visit("count", &ProfileOptions::count, "what to count: mac (default: multiply-adds only), flop (2 for each multiply-add, and all other operations), or what onnx-tool, fvcore or thop count");
    visit("device", &ProfileOptions::device, "compute the least time of each node on a device: a name, or a JSON file with its figures (docs/commands/llm.md)");
    visit("align", &ProfileOptions::align, "alignment of buffers in the memory plan, in bytes (default 1)");
    visit("sparsity", &ProfileOptions::sparsity, "read the weights and count zeros, find patterns, and compute the work they save");
    visit("", &ProfileOptions::load, "");
  }
};

}  // namespace onnxpress

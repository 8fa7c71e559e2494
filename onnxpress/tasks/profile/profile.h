// How much work a model is: multiply-adds, operations, parameters, bytes moved and memory needed, node by node, as
// numbers or as formulas of its dims. The report behind `onnxpress profile`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/tasks/inputs/bindings.h"
#include "onnxpress/tasks/inputs/load_model.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress::tasks {

enum class Count : std::uint8_t { kMac, kFlop };
template <>
struct Words<Count> {
  static constexpr std::pair<std::string_view, Count> kAll[] = {{"mac", Count::kMac}, {"flop", Count::kFlop}};
};

enum class ProfileOrder : std::uint8_t { kWork, kParameters, kMemory, kOrder };
template <>
struct Words<ProfileOrder> {
  static constexpr std::pair<std::string_view, ProfileOrder> kAll[] = {{"work", ProfileOrder::kWork},
                                                                       {"params", ProfileOrder::kParameters},
                                                                       {"memory", ProfileOrder::kMemory},
                                                                       {"order", ProfileOrder::kOrder}};
};

struct ProfileOptions {
  BindingOptions bindings;
  std::optional<std::string> custom_ops;
  Count count = Count::kMac;
  std::uint64_t alignment = 1;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("", &ProfileOptions::bindings, "");
    visit("custom_ops", &ProfileOptions::custom_ops,
          "describes ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text of shape rules");
    visit("count", &ProfileOptions::count,
          "what is counted: mac (multiply-adds only, the default) or flop (2 for each of them, and all other "
          "operations)");
    visit("alignment", &ProfileOptions::alignment, "of buffers in the memory plan, in bytes (default 1)");
    visit("", &ProfileOptions::load, "");
  }
};

// A number that may depend on symbols.
struct AmountLine {
  std::optional<std::uint64_t> value;
  std::string formula;
  bool at_least = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("value", &AmountLine::value, "the number, at the assumed sizes; null when it is not known or too large");
    visit("formula", &AmountLine::formula, "the same in terms of the model's symbols");
    visit("at_least", &AmountLine::at_least, "true when some nodes could not be counted");
  }
};

// A symbol that nobody gave a size, and the size that numbers are given for.
struct AssumedSize {
  std::string symbol;
  std::int64_t size = 1;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("symbol", &AssumedSize::symbol, "name of the dim");
    visit("size", &AssumedSize::size, "its size in all numbers of the report");
  }
};

struct OpProfile {
  std::string op;
  std::uint64_t nodes = 0, macs = 0, flops = 0, parameters = 0, weight_bytes = 0, read = 0, written = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("op", &OpProfile::op, "operator, with its domain where that is not the standard one");
    visit("nodes", &OpProfile::nodes, "nodes that count");
    visit("macs", &OpProfile::macs, "multiply-adds");
    visit("flops", &OpProfile::flops, "2 for each multiply-add, and all other operations");
    visit("parameters", &OpProfile::parameters, "elements of weights, each tensor at its first user");
    visit("weight_bytes", &OpProfile::weight_bytes, "their bytes");
    visit("read", &OpProfile::read, "bytes that are read");
    visit("written", &OpProfile::written, "bytes that are written");
  }
};

struct NodeProfile {
  std::string name, op;
  std::vector<std::string> inputs, outputs;
  std::optional<std::uint64_t> macs, flops, read, written;
  std::string macs_formula;
  std::uint64_t parameters = 0, weight_bytes = 0, live = 0;
  std::optional<std::uint64_t> times;
  std::uint32_t depth = 0;
  bool known = false, estimate = false, counted = true;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &NodeProfile::name, "name of the node, or of its first output");
    visit("op", &NodeProfile::op, "operator, with its domain where that is not the standard one");
    visit("inputs", &NodeProfile::inputs, "types of its operands; empty text for one that is left out");
    visit("outputs", &NodeProfile::outputs, "types of its results");
    visit("macs", &NodeProfile::macs, "multiply-adds; null when not known");
    visit("macs_formula", &NodeProfile::macs_formula, "the same in terms of the model's symbols; empty for a number");
    visit("flops", &NodeProfile::flops, "2 for each multiply-add, and all other operations; null when not known");
    visit("parameters", &NodeProfile::parameters, "elements of the weights that it is the first to use");
    visit("weight_bytes", &NodeProfile::weight_bytes, "their bytes");
    visit("read", &NodeProfile::read, "bytes read, weights included; 0 for views; null when not known");
    visit("written", &NodeProfile::written, "bytes written; 0 for views; null when not known");
    visit("live", &NodeProfile::live, "bytes of activations alive while it runs (main graph only)");
    visit("times", &NodeProfile::times, "how often it runs; null when only the data tell");
    visit("depth", &NodeProfile::depth, "0 in the main graph, 1 in a body or function of it, ...");
    visit("known", &NodeProfile::known, "false when nothing is known about the cost of the op");
    visit("estimate", &NodeProfile::estimate, "true when the work depends on the algorithm or on data");
    visit("counted", &NodeProfile::counted, "false in the branch of an If that does not count");
  }
};

struct MemoryValue {
  std::string name, type;
  std::uint64_t bytes = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &MemoryValue::name, "name of the value");
    visit("type", &MemoryValue::type, "its type");
    visit("bytes", &MemoryValue::bytes, "its size");
  }
};

struct MemoryProfile {
  std::uint64_t activations = 0, plain_peak = 0, peak = 0, pool = 0, weights = 0, inputs = 0, unknown = 0;
  std::string peak_node;
  std::vector<MemoryValue> alive;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("activations", &MemoryProfile::activations, "bytes of all activations together");
    visit("plain_peak", &MemoryProfile::plain_peak, "the most alive at once when every value has its own memory");
    visit("peak", &MemoryProfile::peak, "the same with views and work in place");
    visit("pool", &MemoryProfile::pool, "size of one pool that holds them all, by the best plan found");
    visit("weights", &MemoryProfile::weights, "bytes of weights");
    visit("inputs", &MemoryProfile::inputs, "bytes of inputs, which belong to the caller");
    visit("unknown", &MemoryProfile::unknown, "values whose size is not known: in no figure");
    visit("peak_node", &MemoryProfile::peak_node, "the node that runs when most is alive");
    visit("alive", &MemoryProfile::alive, "what is alive then, largest first");
  }
};

struct ProfileReport {
  std::string file;
  Count count = Count::kMac;
  AmountLine macs, flops, read, written;
  std::uint64_t parameters = 0, tensors = 0, weight_bytes = 0, nodes = 0;
  std::vector<AssumedSize> assumed;
  std::vector<std::string> inputs;
  std::vector<OpProfile> ops;
  std::vector<NodeProfile> node_list;
  MemoryProfile memory;
  std::vector<std::string> unknown_ops;
  double seconds = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &ProfileReport::file, "path, as given");
    visit("count", &ProfileReport::count, "what `--count` asked for");
    visit("macs", &ProfileReport::macs, "multiply-adds of one run");
    visit("flops", &ProfileReport::flops, "2 for each multiply-add, and all other operations");
    visit("read", &ProfileReport::read, "bytes that nodes read");
    visit("written", &ProfileReport::written, "bytes that nodes write");
    visit("parameters", &ProfileReport::parameters, "elements of all weights, as in `info`");
    visit("tensors", &ProfileReport::tensors, "weights");
    visit("weight_bytes", &ProfileReport::weight_bytes, "their bytes");
    visit("nodes", &ProfileReport::nodes, "nodes of the model, bodies included");
    visit("assumed", &ProfileReport::assumed, "sizes assumed for dims that nobody gave");
    visit("inputs", &ProfileReport::inputs, "inputs with their types");
    visit("ops", &ProfileReport::ops, "by operator, most work first");
    visit("node_list", &ProfileReport::node_list, "every node in order, bodies behind their node");
    visit("memory", &ProfileReport::memory, "activations, their peak and their plan");
    visit("unknown_ops", &ProfileReport::unknown_ops, "operators whose cost is not known: totals are lower bounds");
    visit("seconds", &ProfileReport::seconds, "time of the profile, without reading the file");
  }
};

// Looks at no weight. Throws Error when an option does not fit the model.
ProfileReport profile(Model& model, const ProfileOptions& options);
ProfileReport profile(const std::string& path, const ProfileOptions& options);

// Each model by itself.
using ProfileRow = ReportRow<ProfileReport>;
std::vector<ProfileRow> profile(const std::vector<std::string>& paths, const ProfileOptions& options);

std::string to_json(const ProfileReport& report);
std::string to_json(const std::vector<ProfileRow>& rows);
// One row for each node, quoted, numbers as they are.
std::string to_csv(const ProfileReport& report);

}  // namespace onnxpress::tasks

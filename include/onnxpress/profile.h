/// \file
/// What a model costs to run: multiply-adds, parameters, bytes moved and memory, node by node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// What profile() counts: multiply-adds, operations, or what another tool counts.
enum class CountStyle : std::uint8_t {
  /// multiply-adds only
  kMac,
  /// two for each multiply-add, and all other operations
  kFlop,
  /// onnx-tool 1.0.1: instructions of the forward pass, including its mistakes
  kOnnxTool,
  /// fvcore's "flops": multiply-adds, normalization, average pooling, resizing
  kFvcore,
  /// thop's "MACs": layers only, no product of two activations
  kThop,
};

/// Short for CountStyle.
using Count = CountStyle;

/// "MACs", "FLOPs"; what another tool counts is named after it: "onnx-tool MACs".
std::string_view unit_of(Count count);

/// A product of a number and symbols (AmountLine::terms).
struct AmountTerm {
  /// the coefficient as a string of digits, because it may have more than 64 bits
  std::string coefficient;
  /// symbols and expressions that it is multiplied with
  std::vector<std::string> factors;
};

/// A number that may depend on symbols.
struct AmountLine {
  /// the number, at the assumed sizes; null when it is not known or too large
  std::optional<std::uint64_t> value;
  /// the same in terms of the model's symbols
  std::string formula;
  /// the formula as a sum of products, for programs
  std::vector<AmountTerm> terms;
  /// true when some nodes could not be counted
  bool at_least = false;
};

/// A symbol whose size was not given, and the size that was assumed.
struct AssumedSize {
  /// name of the dim
  std::string symbol;
  /// its size in all numbers of the report
  std::int64_t size = 1;
};

/// What all nodes of one operator cost (ProfileReport::ops).
struct OpProfile {
  /// operator, with its domain where that is not the standard one
  std::string op;
  /// nodes that are counted
  std::uint64_t nodes = 0;
  /// what `count` asks for
  std::uint64_t work = 0;
  /// multiply-adds
  std::uint64_t macs = 0;
  /// 2 for each multiply-add, and all other operations
  std::uint64_t flops = 0;
  /// elements of weights, each tensor at its first user
  std::uint64_t parameters = 0;
  /// their bytes
  std::uint64_t weight_bytes = 0;
  /// bytes read
  std::uint64_t read = 0;
  /// bytes written
  std::uint64_t written = 0;
};

/// What limits the speed of a device.
enum class Bound : std::uint8_t {
  /// [] not known, or there is no device
  kNone,
  kCompute,   ///< arithmetic takes longest
  kMemory,    ///< moving bytes takes longest
  kOverhead,  ///< neither explains the time
};

/// There may be a hundred thousand of them, so they are kept small.
struct NodeProfile {
  /// name of the node, or of its first output
  std::string name;
  /// operator, with its domain where that is not the standard one
  std::string op;
  /// the layer it belongs to, as the exporter wrote it; empty if it did not
  std::string scope;
  /// types of its operands; an empty string for an omitted one
  std::vector<std::string> inputs;
  /// types of its results
  std::vector<std::string> outputs;
  /// what `count` asks for; null when not known
  Maybe<std::uint64_t> work;
  /// multiply-adds; null when not known
  Maybe<std::uint64_t> macs;
  /// the same in terms of the model's symbols; empty for a number
  std::string macs_formula;
  /// 2 for each multiply-add, and all other operations; null when not known
  Maybe<std::uint64_t> flops;
  /// elements of the weights that it is the first to use
  std::uint64_t parameters = 0;
  /// their bytes
  std::uint64_t weight_bytes = 0;
  /// bytes read, weights included; 0 for views; null when not known
  Maybe<std::uint64_t> read;
  /// bytes written; 0 for views; null when not known
  Maybe<std::uint64_t> written;
  /// bytes of its results, including views; null when not known
  Maybe<std::uint64_t> result_bytes;
  /// bytes of activations in use while it runs (main graph only)
  std::uint64_t live = 0;
  /// how often it runs; null if that depends on the data
  Maybe<std::uint64_t> times;
  /// share of zeros in its sparsest weight (`sparsity`)
  Maybe<double> zeros;
  /// multiply-adds with nonzero weights (`sparsity`)
  Maybe<std::uint64_t> effective_macs;
  /// median time of its kernels (`time`)
  Maybe<double> microseconds;
  /// 90th percentile of that time (`time`)
  Maybe<double> p90_microseconds;
  /// other nodes that the runtime computes in the same kernel (`time`)
  std::vector<std::string> covers;
  /// operations of the kernel, including the nodes that it covers (`time`)
  Maybe<std::uint64_t> kernel_flops;
  /// achieved 10^9 operations per second (`time`)
  Maybe<double> gflops_per_s;
  /// achieved 10^9 bytes per second (`time`)
  Maybe<double> gb_per_s;
  /// bits of the numbers it computes with: 32, 16 or 8
  std::uint8_t compute_bits = 0;
  /// least time on the device; null without a device (`device`, `time`)
  Maybe<double> roof_microseconds;
  /// roof_microseconds / microseconds (`time`)
  Maybe<double> roof_share;
  /// what limits it on the device: compute or memory, whichever takes longer, or overhead if neither explains the time
  Bound bound = Bound::kNone;
  /// 0 in the main graph, 1 in a body or function of it, ...
  std::uint32_t depth = 0;
  /// false if the cost of the op is unknown
  bool known = false;
  /// true if the work depends on the algorithm or on the data
  bool estimate = false;
  /// false in a branch of an If that is not counted
  bool counted = true;
};

/// One line of the tree of layers, in the order of the model: a layer, or a node.
struct LayerLine {
  /// name of the layer; `*` stands for the numbers of repeated layers
  std::string name;
  /// operator, for lines that are nodes; empty for a layer
  std::string op;
  /// depth in the tree; the deeper lines that follow belong to it
  std::uint32_t depth = 0;
  /// how many equal layers it stands for; figures are totals for all of them
  std::uint64_t repeats = 1;
  /// nodes in it
  std::uint64_t nodes = 0;
  /// what `count` asks for
  std::uint64_t work = 0;
  /// elements of its weights
  std::uint64_t parameters = 0;
  /// their bytes
  std::uint64_t weight_bytes = 0;
  /// bytes that its nodes write
  std::uint64_t written = 0;
  /// time of its kernels (`time`)
  double microseconds = 0;
};

/// An If whose branch is known only at run time (ProfileReport::choices).
struct ChoiceLine {
  /// name of the If
  std::string node;
  /// multiply-adds of its then_branch
  AmountLine then_macs;
  /// multiply-adds of its else_branch
  AmountLine else_macs;
  /// the branch that counts, then or else: the larger one
  std::string counted;
};

/// Zeros in one weight, and their pattern (SparsityProfile::weights).
struct SparseWeight {
  /// name of the weight
  std::string name;
  /// its type
  std::string type;
  /// its first user
  std::string node;
  /// how many it has
  std::uint64_t elements = 0;
  /// how many are 0 (in quantized weights: equal to the zero point)
  std::uint64_t zeros = 0;
  /// zeros / elements
  double ratio = 0;
  /// rows of the largest block that explains the zeros
  std::uint64_t block_rows = 1;
  /// likewise
  std::uint64_t block_columns = 1;
  /// share of those blocks that are all zero
  double block_ratio = 0;
  /// N of N:M: nonzeros in each group; 0 if there is no such pattern
  std::uint64_t group_most = 0;
  /// M of N:M: elements in each group
  std::uint64_t group_of = 0;
  /// the axis along which groups run
  std::uint64_t group_axis = 0;
  /// length of the first axis (filters)
  std::uint64_t rows = 0;
  /// how many of them are all zero
  std::uint64_t zero_rows = 0;
  /// length of the second axis (channels)
  std::uint64_t columns = 0;
  /// how many of them are all zero
  std::uint64_t zero_columns = 0;
  /// why it could not be read; empty if it could
  std::string problem;
};

/// Zeros in all weights (ProfileReport::sparsity).
struct SparsityProfile {
  /// elements of all weights that were read
  std::uint64_t elements = 0;
  /// how many of them are zero
  std::uint64_t zeros = 0;
  /// bytes that were read
  std::uint64_t bytes = 0;
  /// multiply-adds with nonzero weights
  std::uint64_t effective_macs = 0;
  /// time to read the weights, in seconds
  double seconds = 0;
  /// each weight, most zeros first
  std::vector<SparseWeight> weights;
};

/// A value in use at the peak (MemoryProfile::alive).
struct MemoryValue {
  /// name of the value
  std::string name;
  /// its type
  std::string type;
  /// its size
  std::uint64_t bytes = 0;
};

/// Memory for activations (ProfileReport::memory).
struct MemoryProfile {
  /// bytes of all activations together
  std::uint64_t activations = 0;
  /// peak memory if every value has its own memory
  std::uint64_t plain_peak = 0;
  /// peak memory with views and in-place operations
  std::uint64_t peak = 0;
  /// size of one pool that holds all activations, by the best plan found
  std::uint64_t pool = 0;
  /// bytes of weights, including those computed from fewer numbers
  std::uint64_t weights = 0;
  /// bytes of inputs, which belong to the caller
  std::uint64_t inputs = 0;
  /// values whose size is not known; they are in none of these figures
  std::uint64_t unknown = 0;
  /// the node that runs at the peak
  std::string peak_node;
  /// values in use at the peak, largest first
  std::vector<MemoryValue> alive;
};

/// Times measured in ONNX Runtime (ProfileReport::time).
struct TimeProfile {
  /// version of ONNX Runtime
  std::string runtime;
  /// timed runs, after one to warm up
  std::uint64_t runs = 0;
  /// threads of the runtime; 0: the runtime decides
  std::uint64_t threads = 0;
  /// median time of a run
  double median_ms = 0;
  /// 90th percentile of the time of a run
  double p90_ms = 0;
  /// number of kernels in one run
  std::uint64_t kernels = 0;
  /// their time in one run: the sum of their medians
  double kernels_ms = 0;
  /// share of that time that could be assigned to nodes of the model
  double joined = 0;
};

/// The least time on a device: for each node, that of its arithmetic or of its memory traffic, whichever is longer.
struct RoofProfile {
  /// its name; `this machine` if it was measured
  std::string device;
  /// 10^9 operations per second in 32 bits
  double gflops_float = 0;
  /// the same in 16 bits; 0: as in 32 bits
  double gflops_float16 = 0;
  /// the same in 8 bits; 0: as in 16 bits
  double gflops_int8 = 0;
  /// 10^9 bytes per second
  double gb_per_s = 0;
  /// the same for nodes that move less than 2 MB; 0: not known
  double cache_gb_per_s = 0;
  /// least time of all nodes together; with `time`, of those that ran
  double milliseconds = 0;
  /// the part of that in nodes limited by arithmetic
  double compute_ms = 0;
  /// milliseconds / the measured time of all kernels (`time`)
  std::optional<double> share;
};

/// The report of profile().
struct ProfileReport {
  /// path, as given
  std::string file;
  /// what `count` asked for
  Count count = Count::kMac;
  /// total work
  AmountLine work;
  /// multiply-adds of one run
  AmountLine macs;
  /// multiply-adds of the gradients of all weights, in training: as many as in the forward pass for each operand of a
  /// product that has a gradient, so twice as many except in the first layer
  std::optional<std::uint64_t> backward_macs;
  /// 2 for each multiply-add, and all other operations
  AmountLine flops;
  /// bytes that nodes read
  AmountLine read;
  /// bytes that nodes write
  AmountLine written;
  /// elements of all weights, as in `info`
  std::uint64_t parameters = 0;
  /// of these, integers used as shapes and indices, and flags
  std::uint64_t index_parameters = 0;
  /// elements of the constants that nodes read after everything that depends only on constants is computed, without
  /// shapes and indices: a weight stored in a short form counts in full
  std::uint64_t loaded_parameters = 0;
  /// their bytes
  std::uint64_t loaded_bytes = 0;
  /// weights
  std::uint64_t tensors = 0;
  /// their bytes
  std::uint64_t weight_bytes = 0;
  /// nodes of the model, including bodies; functions count once per call
  std::uint64_t nodes = 0;
  /// sizes assumed for dims that were not given
  std::vector<AssumedSize> assumed;
  /// inputs with their types
  std::vector<std::string> inputs;
  /// by operator, most work first
  std::vector<OpProfile> ops;
  /// every node in order; the nodes of a body follow the node that contains it
  std::vector<NodeProfile> node_list;
  /// the tree of layers, in the order of the model
  std::vector<LayerLine> layers;
  /// If nodes whose branch is known only at run time
  std::vector<ChoiceLine> choices;
  /// activations, their peak and their plan
  MemoryProfile memory;
  /// zeros in weights; null without option `sparsity`
  std::optional<SparsityProfile> sparsity;
  /// times measured in ONNX Runtime; null without option `time`
  std::optional<TimeProfile> time;
  /// least time on a device; null without one
  std::optional<RoofProfile> roof;
  /// nodes whose work has more than 62 bits; it is in no total, so totals are lower bounds
  std::vector<std::string> too_large;
  /// operators whose cost is not known, which makes totals lower bounds
  std::vector<std::string> unknown_ops;
  /// time of the profile, without reading the file
  double seconds = 0;
};

/// Options of profile().
struct ProfileOptions {
  /// [] its fields stand here
  BindingOptions bindings;
  /// a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of shape
  /// rules
  std::optional<std::string> custom_ops;
  /// a text file that gives the work of ops, one per line (docs/commands/profile.md)
  std::optional<std::string> cost;
  /// what to count: mac (default: multiply-adds only), flop (2 for each multiply-add, and all other operations), or
  /// what onnx-tool, fvcore or thop count
  Count count = Count::kMac;
  /// compute the least time of each node on a device: a name, or a JSON file with its figures (docs/commands/llm.md)
  std::optional<std::string> device;
  /// alignment of buffers in the memory plan, in bytes (default 1)
  std::uint64_t align = 1;
  /// read the weights and count zeros, find patterns, and compute the work they save
  bool sparsity = false;
  /// [] its fields stand here
  LoadOptions load;
  bool details = true;        ///< types of nodes, and the tree of layers
  bool operand_types = true;  ///< types of operands, which cost time and memory
};

/// Reads no weights unless asked for sparsity. Throws Error when an option does not fit the model.
ProfileReport profile(const Model& model, const ProfileOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const ProfileReport& report);

/// One row for each node, with texts in quotes and plain numbers; has onnx-tool's columns if its way of counting is
/// used.
std::string to_csv(const ProfileReport& report);

}  // namespace onnxpress

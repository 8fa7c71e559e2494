/// \file
/// Describes what is in a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// An operator set that the model imports (Summary::opsets).
struct OpsetLine {
  /// operator domain; `ai.onnx` is the standard one
  std::string domain;  // "ai.onnx" for the standard domain
  /// version of the domain's operators
  std::int64_t version = 0;
};

/// An input or output of the model with its type (Summary::inputs).
struct InterfaceLine {
  using DimText = std::variant<std::monostate, std::int64_t, std::string>;  ///< unknown, a size, a symbol
  /// name of the value
  std::string name;
  /// its type as ONNX text writes it, such as `float[batch,3]`
  std::string type;
  /// element type of a tensor, empty for other types
  std::string element;  // tensors
  /// sizes (numbers), symbols (texts) and unknown dimensions (null); null when not even the rank is known
  std::optional<std::vector<DimText>> shape;  // tensors whose rank is known
};

/// How many nodes have one operator (NodeCounts::by_op).
struct OpCount {
  /// operator
  std::string op;
  /// its domain
  std::string domain;
  /// how many nodes use it, including bodies and functions
  std::uint64_t nodes = 0;
  /// true when it is a function of the model itself
  bool function = false;
};

/// How many nodes there are, and where (Summary::nodes).
struct NodeCounts {
  /// all nodes
  std::uint64_t total = 0;
  /// of these, in the main graph itself
  std::uint64_t main_graph = 0;
  /// of these, in bodies of If, Loop, Scan, ... of the main graph
  std::uint64_t bodies = 0;
  /// of these, in the model's functions (each function counted once)
  std::uint64_t functions = 0;
  /// of these, in training graphs
  std::uint64_t training = 0;
  /// nodes by operator, most frequent first
  std::vector<OpCount> by_op;  // most frequent first
};

/// A property of the model (Summary::metadata).
struct MetadataLine {
  /// name of the property
  std::string key;
  /// its text
  std::string value;
};

/// What the model says about itself, and counts of what it has (InfoReport::model).
struct Summary {
  /// version of the file format
  std::optional<std::int64_t> ir_version;
  /// version that the author gave the model
  std::optional<std::int64_t> model_version;
  /// program that wrote the model
  std::string producer_name;
  /// its version
  std::string producer_version;
  /// domain of the model
  std::string domain;
  /// description of the model
  std::string doc;
  /// imported operator sets
  std::vector<OpsetLine> opsets;
  /// name of the main graph
  std::string graph;
  /// what the caller must provide
  std::vector<InterfaceLine> inputs;
  /// what the caller may override: initializers that are listed as inputs
  std::vector<InterfaceLine> inputs_with_default;
  /// outputs of the model
  std::vector<InterfaceLine> outputs;
  /// counts of nodes
  NodeCounts nodes;
  /// graphs inside nodes (If, Loop, Scan, ...), at any depth
  std::uint64_t bodies = 0;
  /// how deep they are nested
  std::uint64_t deepest_body = 0;
  /// functions that the model defines
  std::uint64_t functions = 0;
  /// graphs for training
  std::uint64_t training_graphs = 0;
  /// properties of the model
  std::vector<MetadataLine> metadata;
};

/// Weights of one element type, or in one place.
struct WeightGroup {
  /// element type, or place
  std::string name;
  /// how many tensors
  std::uint64_t tensors = 0;
  /// their elements
  std::uint64_t parameters = 0;
  /// bytes of their content
  std::uint64_t bytes = 0;
};

/// Counts and sizes of all weights (InfoReport::weights).
struct WeightTotals {
  /// how many tensors there are, including Constant nodes, bodies and functions
  std::uint64_t tensors = 0;
  /// their elements (indices of sparse tensors do not count)
  std::uint64_t parameters = 0;
  /// bytes of their content
  std::uint64_t bytes = 0;
  /// tensors whose data does not have the size that type and shape require
  std::uint64_t wrong_size = 0;
  /// the same by element type, largest first
  std::vector<WeightGroup> by_type;  // largest first
  /// the same by place: initializer, Constant node, ...
  std::vector<WeightGroup> by_place;
};

/// The work of one run (InfoReport::compute).
struct ComputeLine {
  /// multiply-adds of one run, as in `profile`; null when too large or not known
  std::optional<std::uint64_t> macs;
  /// true when some nodes could not be counted
  bool at_least = false;
  /// the same in terms of the model's symbols
  std::string formula;
  /// the operator with the most of them; empty if there are none
  std::string op;
  /// its share
  double share = 0;
  /// input sizes that these figures are for; sizes that were not given are assumed
  std::vector<std::string> inputs;
};

/// What InfoOptions::sort can be.
enum class TensorOrder : std::uint8_t {
  kSize,  ///< the largest first
  kName,  ///< by name
  /// [order] as in the file
  kFile,
};

/// Options of info().
struct InfoOptions {
  /// list every weight: initializers, Constant nodes, bodies and functions
  bool tensors = false;
  /// order of that list: by size (default), by name, or as in the file
  TensorOrder sort = TensorOrder::kSize;
  /// find weights that are stored more than once (reads the weights)
  bool duplicates = false;
  /// list each input and output separately, including initializers that are inputs
  bool all_inputs = false;
  /// list nothing but inputs and outputs
  bool interface = false;
  /// also report the size after gzip -9, brotli -11 and zstd -19 (slow: about a second per megabyte)
  bool compressed = false;
  /// how many of the largest tensors and duplicates to show (default 10)
  std::uint64_t top = 10;
  /// [] its fields stand here
  LoadOptions load;
};

/// A weight: its name, type, size and place (InfoReport::tensors).
struct TensorLine {
  /// name of the initializer, or of the output of the Constant node
  std::string name;
  /// element type
  std::string type;
  /// dimensions
  std::vector<std::int64_t> shape;
  /// their product; null when the shape is damaged
  std::optional<std::uint64_t> elements;
  /// bytes of its content
  std::uint64_t bytes = 0;
  /// `initializer`, `Constant node`, `attribute`, `sparse values` or `sparse indices`
  std::string place;
  /// body or function that contains it; empty for the main graph
  std::string scope;
  /// tensors in attributes: the node's operator
  std::string node;
  /// tensors in attributes: the attribute
  std::string attribute;
  /// the external file with the content; empty if it is inside the model
  std::string external_file;
};

/// Bytes of the file that are used for one purpose (ByteTotals::parts).
struct BytePart {
  /// what these bytes are
  std::string part;
  /// how many
  std::uint64_t bytes = 0;
};

/// A file of weights next to the model (ByteTotals::external_files).
struct ExternalFileLine {
  /// path, relative to the model's folder
  std::string location;
  /// how many tensors are in it
  std::uint64_t tensors = 0;
  /// bytes of the file that belong to at least one tensor
  std::uint64_t used_bytes = 0;
  /// size of the file; null when it cannot be opened
  std::optional<std::uint64_t> file_bytes;
  /// why it cannot be opened; empty if it can
  std::string problem;
};

/// Where the bytes of the file are (InfoReport::bytes).
struct ByteTotals {
  /// size of the .onnx file (for text and JSON: of the .onnx file it would be)
  std::uint64_t total = 0;
  /// where these bytes are, largest first; they always sum to `total`
  std::vector<BytePart> parts;
  /// size of all external files together
  std::uint64_t external = 0;
  /// files next to the model that contain weights
  std::vector<ExternalFileLine> external_files;
};

/// Tensors that are equal (DuplicateTotals::same_bytes).
struct DuplicateLine {
  /// bytes of one copy
  std::uint64_t bytes = 0;
  /// how often these bytes are stored
  std::uint64_t copies = 0;
  /// what storing them once would save
  std::uint64_t saving = 0;
  /// the tensors that hold them
  std::vector<TensorLine> tensors;
};

/// A tensor that could not be compared (DuplicateTotals::unreadable).
struct UnreadLine {
  /// name of the tensor
  std::string name;
  /// why its content could not be read
  std::string reason;
};

/// Weights that are stored more than once (InfoReport::duplicates).
struct DuplicateTotals {
  /// what storing everything once would save
  std::uint64_t duplicated_bytes = 0;
  /// of these, in tensors of the same type and shape
  std::uint64_t bytes_same_tensor = 0;
  /// of these, in tensors of another type or shape
  std::uint64_t bytes_same_bytes = 0;
  /// bytes that had to be read
  std::uint64_t bytes_read = 0;
  /// groups of equal tensors, largest saving first
  std::vector<DuplicateLine> same_tensor;
  /// groups of tensors with equal bytes but different types or shapes
  std::vector<DuplicateLine> same_bytes;
  /// tensors whose content could not be read
  std::vector<UnreadLine> unreadable;
};

/// The report of info().
struct InfoReport {
  /// path, as given
  std::string file;
  /// `onnx`, `text` or `json`
  ModelForm format = ModelForm::kOnnx;
  /// size of the file
  std::uint64_t file_bytes = 0;
  /// [] its fields stand here
  Summary model;
  /// totals over all weights
  WeightTotals weights;
  /// how much work one run takes
  ComputeLine compute;
  /// the largest tensors, up to option `top`
  std::vector<TensorLine> largest;
  /// where the bytes are
  ByteTotals bytes;
  /// with option `compressed`: sizes of the file and its external files after each compressor; otherwise null
  std::optional<CompressedSizes> compressed;
  /// with option `duplicates`: duplicated weights; otherwise null
  std::optional<DuplicateTotals> duplicates;
  /// with option `tensors`: every weight; otherwise null
  std::optional<std::vector<TensorLine>> tensors;
  /// problems that the reader tolerated or repaired; `onnxpress check` names them
  std::uint64_t repairs = 0;
  /// problems that remain; `onnxpress check` names them
  std::uint64_t problems = 0;
  bool only_interface = false;  ///< with option `interface`: only `file` and the inputs and outputs of `model` are set
};

/// What option `interface` leaves of the report.
struct InterfaceReport {
  /// path, as given
  std::string file;
  /// what the caller must provide
  std::vector<InterfaceLine> inputs;
  /// what the caller may override: initializers that are listed as inputs
  std::vector<InterfaceLine> inputs_with_default;
  /// outputs of the model
  std::vector<InterfaceLine> outputs;
};

/// Does not read the weights, unless duplicates are asked for. Sizes are those of the model if it were written now.
/// Values without a name get one.
InfoReport info(const Model& model, const InfoOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const InfoReport& report);

}  // namespace onnxpress

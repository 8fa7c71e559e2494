/// \file
/// Finds what differs between two models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// What DifferenceLine::change can be.
enum class Change : std::uint8_t {
  kAdded,      ///< only the second model has it
  kRemoved,    ///< only the first model has it
  kChanged,    ///< both have it, and it differs
  kRenamed,    ///< the same under another name
  kReordered,  ///< the same members in another order
};

/// What DifferenceLine::subject can be.
enum class Subject : std::uint8_t {
  kModel,     ///< fields of the model: versions, producer, opsets
  kInput,     ///< an input of the model
  kOutput,    ///< an output of the model
  kFunction,  ///< a function of the model
  kGraph,     ///< a graph's name, or its presence
  kNode,      ///< a node: its op, operands or attributes
  kTensor,    ///< a weight
  /// [value_info] the declared type of an inner value
  kValueInfo,
  kMetadata,  ///< a metadata property
  kDoc,       ///< a documentation text
};

/// What DiffOptions::ignore can be.
enum class Ignored : std::uint8_t {
  kNames,      ///< names of nodes and inner values
  kDocs,       ///< documentation texts
  kMetadata,   ///< metadata properties
  kValueInfo,  ///< declared types of inner values
  kOrder,      ///< order of nodes, initializers and declarations
};

/// Options of diff().
struct DiffOptions {
  /// ignore these
  std::vector<Ignored> ignore;
  /// elements of tensors that differ by no more than this count as equal
  double tolerance = 0;
  /// how many differences to show of each kind (default 50); the rest are only counted
  std::uint64_t limit = 50;
  /// [] its fields stand here
  LoadOptions load;
};

/// One attribute, operand or field that differs (DifferenceLine::details).
struct DiffDetail {
  /// the attribute, operand or field; empty for the subject itself
  std::string what;
  /// what it was
  std::string before;
  /// what it is now
  std::string after;
};

/// How far apart the elements of two tensors are (DifferenceLine::distance).
struct DiffDistance {
  /// elements of the tensor
  std::uint64_t elements = 0;
  /// how many of them differ
  std::uint64_t differing = 0;
  /// how many are not a number on one side only
  std::uint64_t one_sided_nans = 0;
  /// true when the elements that differ are numbers
  bool has_distance = false;
  /// largest |a - b|; null when there is none, or it is infinite
  std::optional<double> max_absolute;
  /// largest |a - b| / max(|a|, |b|); null as above
  std::optional<double> max_relative;
  /// index of the largest |a - b|
  std::vector<std::int64_t> at;
};

/// One difference between two models (DiffReport::differences).
struct DifferenceLine {
  /// `added`, `removed`, `changed`, `renamed` or `reordered`
  Change change = Change::kChanged;
  /// what differs: `model`, `input`, `output`, `function`, `graph`, `node`, `tensor`, `value_info`, `metadata` or `doc`
  Subject subject = Subject::kModel;
  /// body or function that contains it; empty for the main graph and the model
  std::string where;
  /// which one
  std::string what;
  /// what differs
  std::vector<DiffDetail> details;
  /// tensors whose elements differ: how far apart they are; else null
  std::optional<DiffDistance> distance;
};

/// How many differences there are of one kind (DiffReport::counts).
struct DiffCount {
  /// what differs, as below
  Subject subject = Subject::kModel;
  /// how many are only in the second model
  std::uint64_t added = 0;
  /// how many are only in the first
  std::uint64_t removed = 0;
  /// how many are in both, but differ
  std::uint64_t changed = 0;
  /// how many are the same under another name
  std::uint64_t renamed = 0;
  /// lists whose members are in another order
  std::uint64_t reordered = 0;

  /// Differences of all kinds.
  std::uint64_t total() const { return added + removed + changed + renamed + reordered; }
};

/// The report of diff().
struct DiffReport {
  /// path of the first model, as given
  std::string before;
  /// path of the second
  std::string after;
  /// true when nothing differs
  bool equal = true;
  /// true when the files are the same byte for byte; nothing else is compared then
  bool same_bytes = false;
  /// how many differences there are
  std::uint64_t total = 0;
  /// how many by kind; kinds without any are left out
  std::vector<DiffCount> counts;
  /// at most option `limit` of each kind
  std::vector<DifferenceLine> differences;
};

/// Compares graphs, weights, types and texts.
DiffReport diff(const Model& before, const Model& after, const DiffOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const DiffReport& report);

}  // namespace onnxpress

/// \file
/// Types and symbolic shapes of every value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// Options of infer().
struct InferOptions {
  /// [] its fields stand here
  BindingOptions bindings;
  /// a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of shape
  /// rules
  std::optional<std::string> custom_ops;
  /// use the types declared in the file where nothing can be inferred
  bool trust_value_info = false;
  /// list every value with its type
  bool all = false;
  /// how many unknown values to explain (default 20)
  std::uint64_t limit = 20;
  /// [] its fields stand here
  LoadOptions load;
};

/// An input, output or inner value with its type (InferReport::all).
struct ValueLine {
  /// name of the value
  std::string name;
  /// element type and shape, `?` where unknown
  std::string type;
  /// true when element type, rank and every dim are known
  bool complete = false;
};

/// Where a type or shape becomes unknown, and why (InferReport::losses).
struct LossLine {
  /// the value that is unknown although everything its node reads is known
  std::string value;
  /// name of the node; empty for an input of the model
  std::string node;
  /// its op
  std::string op;
  /// why it is unknown
  std::string why;
  /// how many values are unknown because of it, including this one
  std::uint64_t values = 0;
};

/// A declared type that cannot be true (InferReport::contradictions).
struct ContradictionLine {
  /// name of the value
  std::string value;
  /// what the file says
  std::string declared;
  /// what follows from the ops
  std::string inferred;
};

/// A node that cannot be computed with its operands (InferReport::broken_rules).
struct BrokenRuleLine {
  /// name of the node
  std::string node;
  /// its op
  std::string op;
  /// its first result
  std::string value;
  /// which rule its operands break
  std::string why;
};

/// The report of infer().
struct InferReport {
  /// path, as given
  std::string file;
  /// number of results of nodes, including those in bodies
  std::uint64_t values = 0;
  /// those whose rank is known
  std::uint64_t with_rank = 0;
  /// those whose type and every dim is known, as a size or an expression
  std::uint64_t complete = 0;
  /// those whose every dim is a size
  std::uint64_t with_sizes = 0;
  /// those that are the same in every run
  std::uint64_t constant = 0;
  /// inputs of the model
  std::vector<ValueLine> inputs;
  /// outputs of the model
  std::vector<ValueLine> outputs;
  /// with option `all`: every value
  std::vector<ValueLine> all;
  /// where types or shapes become unknown first
  std::vector<LossLine> losses;
  /// how many more there are
  std::uint64_t losses_left_out = 0;
  /// declared types that cannot be true
  std::vector<ContradictionLine> contradictions;
  /// nodes that cannot be computed with these operands
  std::vector<BrokenRuleLine> broken_rules;
  /// files that were written
  std::vector<WrittenFile> files;
  /// how long the inference took, without reading and writing
  double seconds = 0;
};

/// Infers and reports; changes nothing. Throws Error when an option does not fit the model.
InferReport infer(const Model& model, const InferOptions& options = {});

/// The same, and the types of all inner values become part of the model, as `infer -o` writes it. If it throws Error,
/// the model is as it was.
InferReport declare_types(Model& model, const InferOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const InferReport& report);

}  // namespace onnxpress

// The parts of check(), one function per concern; internal to analysis/check*.cpp.
#pragma once

#include <string>
#include <string_view>

#include "onnxpress/analysis/check/check.h"
#include "onnxpress/analysis/places.h"
#include "onnxpress/ops/core/op.h"

namespace onnxpress::analysis {

class Facts;

// Collects findings. Beyond the limit they are only counted, because a hostile file can have millions.
class FindingList {
 public:
  FindingList(const Model& model, const CheckSettings& settings) : places(model), settings_(settings) {}

  template <typename Where>  // a callable that gives the place in words, called only for findings that are kept
  void add(Severity severity, std::string_view code, const Where& where, std::string message) {
    if (wants_one_more(severity)) keep({severity, code, where(), std::move(message)});
  }
  void add(Severity severity, std::string_view code, const Graph& graph, std::string message) {
    add(
        severity, code, [&] { return places.of(graph); }, std::move(message));
  }
  void add(Severity severity, std::string_view code, const Node& node, std::string message) {
    add(
        severity, code, [&] { return places.of(node); }, std::move(message));
  }
  void add_to_model(Severity severity, std::string_view code, std::string message) {
    add(
        severity, code, [] { return std::string(); }, std::move(message));
  }

  Findings sorted() &&;

  const Places places;

 private:
  bool wants_one_more(Severity severity);
  void keep(Finding finding) { kept_[static_cast<std::size_t>(finding.severity)].push_back(std::move(finding)); }

  CheckSettings settings_;
  std::array<std::vector<Finding>, kSeverityCount> kept_;
  std::array<std::size_t, kSeverityCount> counts_ = {};
};

void check_header(const Model& model, FindingList& found);  // IR version, metadata, notes of the reader
void check_opsets(const Model& model, FindingList& found);  // imports of the model and functions, and their use
void check_names(const Model& model, FindingList& found);   // one definition per name and scope, nothing undefined
void check_texts(const Model& model, FindingList& found);   // names are UTF-8
void check_declarations(const Model& model,
                        FindingList& found);               // types of inputs, outputs, value_info; unused initializers
void check_nodes(const Model& model, FindingList& found);  // op types, node names, attributes
void check_order(const Model& model, FindingList& found);  // sorted nodes, no cycles
void check_functions(const Model& model, FindingList& found);  // ids, recursion, calls
void check_tensors(const Model& model, FindingList& found);    // dims against data, sparse indices
void check_external(const Model& model, FindingList& found);   // external files and the ranges in them
// Finds the op of every node and compares the node with its schema.
void check_ops(const Model& model, const Facts& facts, FindingList& found);
void check_inferred(const Model& model, const Facts& facts, FindingList& found);  // declared types that cannot be true

// One node and the schema of its op, for the parts of check_ops().
struct AppliedOp {
  const Node& node;
  const ops::Schema& schema;
  Severity severity;         // of mismatches: a warning for ops of runtimes, whose versions differ
  bool takes_any_attribute;  // besides those of the schema
};
void check_operands(const AppliedOp& op, FindingList& found);    // how many inputs and outputs, and none left out
void check_attributes(const AppliedOp& op, FindingList& found);  // known names, the right kinds, none missing

// "the standard domain", "domain 'ai.onnx.ml'"
std::string domain_text(std::string_view domain);
// The newest version of a domain of the standard that this program knows; 0 for other domains.
std::int64_t newest_version(std::string_view domain);

}  // namespace onnxpress::analysis

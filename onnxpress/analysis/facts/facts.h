// Facts: what is known about every value of a model before it runs, from one walk over the graph with the `infer` rows
// of ops/. Shapes are symbolic; small integer tensors are followed element by element; constants are folded where they
// are small. Facts can follow the changes of a model: see follow().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/dim_math.h"
#include "onnxpress/ops/core/fact.h"
#include "onnxpress/ops/core/params.h"
#include "onnxpress/ops/core/shape_rules.h"

namespace onnxpress::analysis {

class FactEngine;

struct FactSettings {
  std::vector<std::pair<std::string, std::vector<Dim>>> shapes;  // of inputs; they replace what the file declares
  std::vector<std::pair<std::string, std::int64_t>> dims;        // symbols that have this size
  std::vector<std::pair<std::string, ops::Array>> values;        // inputs that always have this value
  const ops::ShapeRules* rules = nullptr;                        // for ops that are not known; may be null
  bool trust_value_info = false;                                 // use declared types where nothing can be inferred
  // Solve the equations between dims that ops imply (Concat makes the other dims of its operands equal). If false,
  // equations are only checked: then a contradiction in an invalid model affects only the node where it shows.
  bool solve_dims = true;
  // Infer no more than a runtime does when it loads the model. ONNX's own inference reads the elements only of
  // initializers and Constants, computes no expressions, and uses declared types where it infers nothing. It infers
  // nothing for ops of other domains and for ops with bodies.
  bool as_runtime = false;
  // With `as_runtime`: all that ONNX's inference finds out, rather than what it finds out at least. It follows bodies
  // and functions of the model, and stops at some ops whose parameters are computed.
  bool as_checker = false;
};

// A declared type that contradicts the inferred one.
struct Contradiction {
  const Value* value;
  std::string declared, inferred;
};

// The operands of a node break a rule of its op: types that it does not accept, or sizes that do not match. Nothing is
// known about its results.
struct BrokenRule {
  const Node* node;
  std::string why;
  bool about_types = false;  // about element types, not shapes
  bool is_warning = false;   // runtimes load it all the same, and what is known about its results holds
};

class Facts {
 public:
  // Infers the whole model. Only its context changes, because symbols are added to it.
  explicit Facts(const Model& model, FactSettings settings = {});
  ~Facts();
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  // The reference stays valid; the fact changes when the model does. Inside a function: what holds in every call.
  // Unknown for values created after the inference, unless the facts follow the model.
  const ops::Fact& of(const Value& value) const;
  // The shape, with equal dims replaced by one representative; nullopt when not even the rank is known.
  std::optional<ops::Shape> shape_of(const Value& value) const;
  ops::DimMath& dims() const;
  const OpResolver& ops() const;

  // True for a tensor whose dims are all sizes or expressions, and for a sequence, optional or map whose kind is known.
  bool is_complete(const Value& value) const;

  // The elements of a value that is the same in every run. Initializers are read (and shared with the file where
  // possible); results of nodes are computed, such as those of the chains that decode a weight. Nothing is cached here.
  // Nullopt when the value is not constant, cannot be computed, or has more than `most` elements.
  std::optional<ops::Array> constant(const Value& value, std::uint64_t most = std::uint64_t{1} << 28) const;

  // Gives `visit` the facts inside a function for one particular call: infers the body for `call`, runs `visit` with
  // the attributes of the call, and then restores what holds in every call. `scope` is the attribute scope around the
  // call (null outside functions). To visit a call inside the body, call this again from `visit`. False when the node
  // is not a call, or too many calls were visited; then `visit` does not run.
  using VisitCall = std::function<void(const ops::AttributeScope& inside)>;
  bool in_call(const Node& call, const ops::AttributeScope* scope, const VisitCall& visit) const;
  // Is it a function input that the call being visited omits?
  bool is_left_out(const Value& value) const;

  const std::vector<Contradiction>& contradictions() const;
  const std::vector<BrokenRule>& broken_rules() const;  // without warnings, in the order of node ids
  const std::vector<BrokenRule>& warnings() const;
  // With `trust_value_info` or `as_runtime`: does part of the fact come only from a declaration?
  bool relies_on_declaration(const Value& value) const;
  // Settings that do not fit the model ("input 'x' has 4 dims, not 3"); empty when all were applied.
  const std::vector<std::string>& refused() const;

  // --- Changes
  //
  // After follow(), the facts stay up to date: changes of the model are noted, and what they affect is inferred again
  // at the next question. This goes from node to node, through bodies and function calls, as long as facts change, so
  // many small changes cost about as much as one inference. Facts may get weaker, but are never out of date.
  //
  // Equations between dims that come up meanwhile are solved when nothing is left to infer, so two dims that were
  // compared before a change compare the same way during it. Solved equations stay solved: they hold for all inputs
  // that the model accepted when they were found, and rewriting need not preserve results for any others.
  //
  // A change inside a Loop or Scan that reaches an output of the body infers the whole body again; a change inside a
  // function infers all its calls again.
  void follow();
  // For a node that was changed without notifying listeners: infers it again, and everything that depends on it.
  void update(const Node& node);

 private:
  std::unique_ptr<FactEngine> engine_;
};

// The declared type as a fact. Dims without a name are unknown. "?" does not count as a name, because converters write
// it for each unknown dim.
ops::Fact fact_of(const Type* type);
bool is_placeholder(std::string_view dim_name);
// The usual text form: "float[batch,3]", "float" (a scalar), "float[]" (any rank); "?" when nothing is known.
std::string to_string(const ops::Fact& fact);

}  // namespace onnxpress::analysis

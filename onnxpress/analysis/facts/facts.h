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
  std::vector<std::pair<std::string, std::vector<Dim>>> shapes;  // of inputs, instead of what the file declares
  std::vector<std::pair<std::string, std::int64_t>> dims;        // symbols that have this size
  std::vector<std::pair<std::string, ops::Array>> values;        // inputs that always have this value
  const ops::ShapeRules* rules = nullptr;                        // of ops that we do not know; null: none
  bool trust_value_info = false;                                 // take declared types where nothing is inferred
  // Solve the equations between dims that ops force (Concat makes the other dims of its operands equal). Without,
  // equations are only checked: in a model that breaks rules, each says no more than what its own node shows.
  bool solve_dims = true;
  // Know only what a runtime finds out when it loads the model, at most: ONNX's own inference follows no elements of
  // tensors but those of initializers and Constants, computes no expressions, and takes declared types where it finds
  // nothing. Ops of other domains and ops with bodies say nothing about their results.
  bool as_runtime = false;
  // With `as_runtime`: all that ONNX's inference finds out, rather than what it finds out at least. It follows bodies
  // and functions of the model, and stops at some ops whose parameters are computed.
  bool as_checker = false;
};

// What the file declares cannot be true.
struct Contradiction {
  const Value* value;
  std::string declared, inferred;
};

// The operands of a node break a rule of its op: types that it does not take, sizes that do not fit together. Nothing
// is known about its results.
struct BrokenRule {
  const Node* node;
  std::string why;
  bool about_types = false;  // element types, not shapes
};

class Facts {
 public:
  // Infers the whole model. Context (for symbols) is the only part of the model that changes.
  explicit Facts(Model& model, FactSettings settings = {});
  ~Facts();
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  // The reference stays valid; what it says changes when the model does. Inside a function: what holds in every call.
  // Unknown for values that were made after the inference, unless the facts follow the model.
  const ops::Fact& of(const Value& value) const;
  // The shape in terms of what was proved equal; nullopt when not even the rank is known.
  std::optional<ops::Shape> shape_of(const Value& value) const;
  ops::DimMath& dims() const;
  const OpResolver& ops() const;

  // A tensor with a rank whose dims are all sizes or expressions; sequences and the like when their kind is known.
  bool is_complete(const Value& value) const;

  // The elements of a value that is the same in every run, however many: initializers are read (and shared with the
  // file where that is possible), what nodes make of them is computed, such as the chains that decode a weight. Nothing
  // of it is kept here. nullopt when it is not constant, cannot be computed, or has more elements than `most`.
  std::optional<ops::Array> constant(const Value& value, std::uint64_t most = std::uint64_t{1} << 28) const;

  // Facts inside of a function as one of its calls has them: infers the body for `call`, runs `visit` with the
  // attributes that the call gives, and then goes back to what holds in every call. `scope` is the one that the call
  // itself stands in (null outside of functions); calls inside of the body are visited by calling this again from
  // `visit`. False when it is no call, or when too many were visited: then `visit` does not run.
  using VisitCall = std::function<void(const ops::AttributeScope& inside)>;
  bool in_call(const Node& call, const ops::AttributeScope* scope, const VisitCall& visit) const;
  // Is it an input of a function that the call being visited does not give?
  bool is_left_out(const Value& value) const;

  const std::vector<Contradiction>& contradictions() const;
  const std::vector<BrokenRule>& broken_rules() const;  // in the order of node ids
  // With `trust_value_info` or `as_runtime`: is part of the fact declared only?
  bool relies_on_declaration(const Value& value) const;
  // Requests of the settings that do not fit the model ("'x' has 4 dims, not 3"); empty when all is well.
  const std::vector<std::string>& refused() const;

  // --- Changes
  //
  // After follow(), the facts keep themselves true: what changes in the model is noted, and inferred again when
  // somebody asks next. That goes from node to node, through bodies and calls of functions, as long as facts change, so
  // many small changes cost about as much as one inference. Facts may get weaker; they are never older than the model.
  //
  // Equations between dims that come up meanwhile are solved when nothing is left to infer, so two dims that were
  // compared before a change compare the same way during it. Equations once solved stay solved: they hold for all
  // inputs that the model accepted when they were found, and rewriting must keep the results for no others.
  //
  // A change inside a Loop or Scan that reaches an output of the body infers the whole body again, and one inside a
  // function all its calls.
  void follow();
  // For a node that was changed in a way that no listener hears of: it, and what depends on it, is inferred again.
  void update(const Node& node);

 private:
  std::unique_ptr<FactEngine> engine_;
};

// The declared type as a fact, with nothing assumed about dims that are not named. "?" is not a name: converters write
// it for each dim that they do not know.
ops::Fact fact_of(const Type* type);
bool is_placeholder(std::string_view dim_name);
// As types are written everywhere: "float[batch,3]", "float" (a scalar), "float[]" (any rank); "?" for nothing known.
std::string to_string(const ops::Fact& fact);

}  // namespace onnxpress::analysis

// Rewriter: the tool that rewrites build with. It makes nodes and constants at one place in a graph, folds constants
// while it builds, and replaces values without changing the interface of the model.
//
//   Value* k = rw.make("Div", {scale, rw.make("Sqrt", {rw.make("Add", {var, epsilon})})});
//   rw.set_input(*conv, 1, rw.make("Mul", {w, rw.reshaped(k, {-1, 1, 1, 1})}));
//   rw.replace(bn, conv->output());
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/params.h"
#include "onnxpress/passes/node_plan.h"
#include "onnxpress/passes/parameter.h"

namespace onnxpress::passes {

class Rewriter;

// The parameters of a node, including those in operands that the rewriter knows.
class NodeParams : private ops::ConstantOperands, public ops::Params {
 public:
  NodeParams(const Rewriter& rewriter, const Node& node, const ops::Op& op)
      : ops::Params(node, op, static_cast<const ops::ConstantOperands&>(*this)), rewriter_(rewriter) {}
  NodeParams(const NodeParams&) = delete;
  NodeParams& operator=(const NodeParams&) = delete;

 private:
  const ops::Array* constant(std::size_t i) const override;
  const Rewriter& rewriter_;
  mutable std::unordered_map<std::size_t, std::optional<ops::Array>> read_;
};

class Rewriter {
 public:
  // No constant larger than this is made; `make` builds the node instead.
  static constexpr std::uint64_t kMostFoldedBytes = std::uint64_t{256} << 20;

  // `facts` must be those of this model, and follow its changes (Facts::follow).
  Rewriter(Model& model, const analysis::Facts& facts);

  Model& model() { return model_; }
  const analysis::OpResolver& ops() const { return facts_.ops(); }

  // New nodes go in front of this one. The driver sets it to the node that a rewrite is applied to.
  void insert_before(Node& node) { position_ = &node; }

  // --- Questions. All accept null for an operand that is omitted.
  // What is known about a value; inside a function, what holds for every call.
  const ops::Fact& fact(const Value* value) const;
  // Dims that were proved equal are resolved to the same dim. Nullopt when not even the rank is known.
  std::optional<ops::Shape> shape_of(const Value* value) const;
  ElementType element_of(const Value* value) const;
  // False if the value is a graph output that is declared with another rank than that of `shape`. Checkers accept a
  // wrong declaration as long as the shape is computed, and reject the model once it is constant.
  bool declares_rank_of(const Value& value, const ops::Shape& shape) const;
  // Whether both are known to have the same shape: equal sizes, or the same expressions.
  bool same_shape(const Value* a, const Value* b) const;
  ops::DimMath& dims() const { return facts_.dims(); }
  // The elements if they are known now; they may be large.
  std::optional<ops::Array> constant(const Value* value) const;
  bool is_constant(const Value* value) const;
  // The elements of a value that is the same in every run, computed if necessary; nullopt if it may differ between runs
  // or takes more than `most_bytes`.
  std::optional<ops::Array> computed(const Value& value, std::uint64_t most_bytes) const;
  // Nullopt unless the element type and all dims are known.
  std::optional<std::uint64_t> bytes_of(const Value& value) const;
  bool all_constant(std::initializer_list<const Value*> values) const;
  // The op of a node; null if it is a function of the model or unknown, takes attributes from a function, or is
  // invalid.
  const ops::Op* op_of(const Node& node) const;
  bool is(const Node& node, std::string_view op_type) const { return node.is(op_type) && op_of(node); }
  NodeParams params(const Node& node) const { return {*this, node, *op_of(node)}; }  // op_of(node) must not be null
  // The node that computes the value, if it is this op of the standard domain; null otherwise.
  Node* producer(const Value* value, std::string_view op_type) const;
  // The same, but only if the value has a single user, so that the node may be changed.
  Node* sole_producer(const Value* value, std::string_view op_type) const;

  // --- Making
  // Makes a node of the standard domain at the insertion point and returns its result. If all operands are constant, it
  // is computed now and the result is a constant (but see leave_floats_to_the_runtime). Null when the model's opset has
  // no such op or cannot express it, or when a required operand is null: so calls can be nested, and one test at the
  // end is enough.
  Value* make(std::string_view op_type, std::initializer_list<Value*> operands,
              std::initializer_list<Parameter> parameters = {}) {
    return make(op_type, std::span(operands.begin(), operands.size()),
                std::span(parameters.begin(), parameters.size()));
  }
  Value* make(std::string_view op_type, std::span<Value* const> operands, std::span<const Parameter> parameters = {},
              std::string_view domain = "");
  // The same for a node with several results, which is never folded. Null when it cannot be made.
  Node* make_node(std::string_view op_type, std::span<Value* const> operands, std::span<const Parameter> parameters,
                  std::size_t results, std::string_view domain = "");
  Value* constant(const ops::Array& array);
  // A copy of a constant at the insertion point. Null when its bytes cannot be read or the opset has no such Constant.
  Value* copied_constant(const Value& value);
  Value* integers(std::span<const std::int64_t> values);
  Value* integers(std::initializer_list<std::int64_t> values) { return integers({values.begin(), values.size()}); }
  Value* scalar(ElementType type, double number);
  Value* splat(ElementType type, std::span<const std::int64_t> dims, double number);
  // A scalar with the element type of `value`; null when that is not known.
  Value* scalar_like(const Value* value, double number);
  // Reshapes the value; one dim may be -1. Returns null for null.
  Value* reshaped(Value* value, std::vector<std::int64_t> dims);

  // --- Changing
  // Sets an operand and, if necessary, moves the nodes that compute the value in front of the node. Returns false, and
  // changes nothing, when the value is null or depends on the node.
  bool set_input(Node& node, std::size_t i, Value* value);
  // Sets the parameter where the node's version of the op keeps it. Returns false, and changes nothing, when it cannot.
  bool set_parameter(Node& node, const Parameter& parameter);
  // Replaces the only used output of the node by `value` and removes the node. Returns false, and changes nothing, when
  // that is impossible or would have no effect (see replace_value).
  bool replace(Node& node, Value* value);
  // Users of `value` use `with` instead. Outputs of graphs keep their names: the new value takes over the name or, if
  // it is an input, an initializer or an output itself, an Identity node is inserted. Returns false, and changes
  // nothing, when `with` is null, is not visible to all users, or is computed too late.
  bool replace_value(Value* value, Value* with);
  // The same for a result of a node that is removed in any case: the declared rank of an output is not checked.
  bool replace_same(Value* value, Value* with);
  // Whether `with` can be a graph output with the name of `value`, without an Identity in between.
  bool can_carry_name(const Value& with, const Value& value) const;
  // A text for the log that says what this application did, if the name of the rewrite does not.
  void note(std::string text) { note_ = std::move(text); }
  // Returns false, and gives this text to those who ask why the rewrite does not apply (`--why`): for conditions that
  // users wonder about, such as sizes, limits and options. Most of the questions above say themselves why they answer
  // no.
  template <class... Parts>
  bool refuse(fmt::format_string<Parts...> why, Parts&&... parts) const {
    if (notes_refusals_) note_refusal(fmt::format(why, std::forward<Parts>(parts)...));
    return false;
  }
  // Says why a rewrite does not apply, for option `why`: "'y' has other users".
  void refused(const Value* value, std::string_view what) const;

  // Every output must keep its bits, and runtimes round differently. So no floating-point number is computed here:
  // floats that nodes compute count as unknown, and make() folds a result of floats only if it copies elements.
  void leave_floats_to_the_runtime() { keeps_bits_ = true; }
  // Whether it is so: then even the sign of a zero must stay (Exactness::kExact).
  bool must_keep_bits() const { return keeps_bits_; }
  // Results larger than this are left to the runtime (see computed()).
  void limit_folding(std::uint64_t bytes) { most_computed_ = bytes; }
  // How many bytes a constant may take beyond those of the nodes and constants that it makes unnecessary.
  void allow_growth(std::uint64_t bytes) { growth_ = bytes; }
  std::uint64_t growth() const { return growth_; }

  // --- For the driver
  // Forgets what was made so far. undo_unused() later removes everything made since then that is not used.
  void begin(Node& node);
  void undo_unused();
  std::string take_note() { return std::exchange(note_, {}); }
  // To explain why a rewrite does not apply: from now on, every condition that does not hold is recorded as a line.
  void note_refusals() { notes_refusals_ = true; }
  std::vector<std::string> take_refusals() { return std::exchange(refusals_, {}); }

 private:
  void note_refusal(std::string line) const;
  std::optional<ops::Sizes> sizes_of(const Value& value) const;
  bool may_take(const Value& value, std::uint64_t bytes, std::uint64_t most_bytes) const;
  std::optional<ops::Array> known_or_computed(const Value& value, std::uint64_t most_bytes) const;
  Value* folded(const ops::Op& op, const NodePlan& plan);
  void import(std::string_view domain);  // for the graph of the insertion point, unless already imported
  Node* build(std::string_view op_type, std::string_view domain, const NodePlan& plan, std::size_t results);
  // The elements according to the facts, if they are the same as in a run of the model.
  const ops::Array* known_elements(const Value& value) const;
  ops::Fact fact_of_constant(const ops::Array& array) const;
  bool comes_in_time(const Value& value, const Node& user) const;
  void move_in_front(const Value& value, Node& user);
  bool can_hold_constant(ElementType type) const;
  bool replace_output(Value* value, Value* with);

  Model& model_;
  const analysis::Facts& facts_;
  bool keeps_bits_ = false, notes_refusals_ = false;
  std::uint64_t most_computed_ = kMostFoldedBytes, growth_ = 0;
  mutable std::vector<std::string> refusals_;
  Node* position_ = nullptr;
  std::vector<Node*> made_nodes_;
  std::vector<Value*> made_constants_;
  std::vector<std::pair<std::vector<OpsetImport>*, std::string_view>> made_imports_;  // into the model or a function
  std::string note_;
};

}  // namespace onnxpress::passes

// Rewriter: what a rewrite builds with. It makes nodes and constants at one place of a graph, folds what is constant
// while it builds, and replaces values without touching the interface of the model.
//
//   Value* k = rw.make("Div", {scale, rw.make("Sqrt", {rw.make("Add", {var, epsilon})})});
//   rw.set_input(*conv, 1, rw.make("Mul", {w, rw.reshaped(k, {-1, 1, 1, 1})}));
//   rw.replace(bn, conv->output());
#pragma once

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

// The parameters of a node, with what the rewriter knows of its operands.
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
  // A constant larger than this is not made; `make` builds the node instead.
  static constexpr std::uint64_t kMostFoldedBytes = std::uint64_t{256} << 20;

  // `facts` are those of the model, and follow its changes (Facts::follow).
  Rewriter(Model& model, const analysis::Facts& facts);

  Model& model() { return model_; }
  const analysis::OpResolver& ops() const { return facts_.ops(); }

  // New nodes go in front of this one. The driver sets it to the node that a rewrite is applied to.
  void insert_before(Node& node) { position_ = &node; }

  // --- Questions. All take null for an operand that is not there.
  // What is known about a value. In functions: what holds in every call.
  const ops::Fact& fact(const Value* value) const;
  // In terms of what was proved equal; nullopt when not even the rank is known.
  std::optional<ops::Shape> shape_of(const Value* value) const;
  ElementType element_of(const Value* value) const;
  // Does the value, if it is an output of a graph, declare the rank of this shape, or none? Checkers believe a wrong
  // declaration as long as the shape is computed, and refuse the model once it is constant.
  bool declares_rank_of(const Value& value, const ops::Shape& shape) const;
  // Both are known to have the same shape: equal sizes, or the same expressions.
  bool same_shape(const Value* a, const Value* b) const;
  ops::DimMath& dims() const { return facts_.dims(); }
  // The elements if they are known now; they may be large.
  std::optional<ops::Array> constant(const Value* value) const;
  bool is_constant(const Value* value) const;
  // The elements of a value that is the same in every run, computed if need be; nullopt when it is not, or takes more
  // bytes than that.
  std::optional<ops::Array> computed(const Value& value, std::uint64_t most_bytes) const;
  bool all_constant(std::initializer_list<const Value*> values) const;
  // The op of a node, unless it is a function of the model or takes attributes from one; then nothing is known.
  const ops::Op* op_of(const Node& node) const;
  bool is(const Node& node, std::string_view op_type) const { return node.is(op_type) && op_of(node); }
  NodeParams params(const Node& node) const { return {*this, node, *op_of(node)}; }  // op_of(node) is there
  // The node that makes the value if it is this op of the standard domain; null otherwise.
  Node* producer(const Value* value, std::string_view op_type) const;
  // The same, if nothing else uses the value: the node may change its meaning.
  Node* sole_producer(const Value* value, std::string_view op_type) const;

  // --- Making
  // A node of the standard domain at the insertion point, and its result. With constant operands it is computed now and
  // the result is a constant. Null when the model's opset has no such op or cannot express it, or an operand is null
  // where the op needs one: so calls nest, and one test at the end is enough.
  Value* make(std::string_view op_type, std::initializer_list<Value*> operands,
              std::initializer_list<Parameter> parameters = {}) {
    return make(op_type, std::span(operands.begin(), operands.size()),
                std::span(parameters.begin(), parameters.size()));
  }
  Value* make(std::string_view op_type, std::span<Value* const> operands, std::span<const Parameter> parameters = {},
              std::string_view domain = "");
  // The same with several results; never folded. Null when it cannot be.
  Node* make_node(std::string_view op_type, std::span<Value* const> operands, std::span<const Parameter> parameters,
                  std::size_t results, std::string_view domain = "");
  Value* constant(const ops::Array& array);
  Value* integers(std::span<const std::int64_t> values);
  Value* integers(std::initializer_list<std::int64_t> values) { return integers({values.begin(), values.size()}); }
  Value* scalar(ElementType type, double number);
  Value* splat(ElementType type, std::span<const std::int64_t> dims, double number);
  // A scalar with the element type of `value`; null when that is not known.
  Value* scalar_like(const Value* value, double number);
  // As Reshape does it; one dim may be -1. Null for null.
  Value* reshaped(Value* value, std::vector<std::int64_t> dims);

  // --- Changing
  // Moves what makes the value in front of the node where that is needed. False, and nothing done, when the value is
  // null or depends on the node.
  bool set_input(Node& node, std::size_t i, Value* value);
  // Writes the parameter where the node's version of its op keeps it. False, and nothing done, when it cannot be.
  bool set_parameter(Node& node, const Parameter& parameter);
  // Users of the only used output of the node use `value` instead, and the node is removed. False, and nothing done,
  // when that is impossible or changes nothing (see replace_value).
  bool replace(Node& node, Value* value);
  // Whoever used `value` uses `with`. Outputs of graphs keep their names: the new value takes the name over; where it
  // cannot, because it is an input, an initializer or an output itself, an Identity node is inserted. False, and
  // nothing done, when `with` is null, not visible everywhere, or not made in time.
  bool replace_value(Value* value, Value* with);
  // The same for a result of a node that goes in any case: what an output says of its rank does not matter then.
  bool replace_same(Value* value, Value* with);
  // May `with` be an output of the graph under the name of `value`, without an Identity between?
  bool can_carry_name(const Value& with, const Value& value) const;
  // For the log: what this application did, where the name of the rewrite does not say it.
  void note(std::string text) { note_ = std::move(text); }

  // Every bit must stay: numbers that floating-point ops would compute are not known then, since runtimes round
  // differently.
  void keep_bits() { keeps_bits_ = true; }
  // Results of more bytes are left to the runtime (see computed()).
  void limit_folding(std::uint64_t bytes) { most_computed_ = bytes; }

  // --- For the driver
  // Forgets what was made so far; then undo_unused() removes what was made since and is used by nothing.
  void begin(Node& node);
  void undo_unused();
  std::string take_note() { return std::exchange(note_, {}); }
  // For those who ask why a rewrite does not apply: from now on, every question that is answered with no leaves a line.
  void note_refusals() { notes_refusals_ = true; }
  std::vector<std::string> take_refusals() { return std::exchange(refusals_, {}); }

 private:
  void refused(const Value* value, std::string_view what) const;
  Value* folded(const ops::Op& op, const NodePlan& plan);
  void import(std::string_view domain);  // for the graph of the insertion point, where it is not imported yet
  Node* build(std::string_view op_type, std::string_view domain, const NodePlan& plan, std::size_t results);
  // What the facts know of the elements, where that is as good as running the model.
  const ops::Array* known_elements(const Value& value) const;
  ops::Fact fact_of_constant(const ops::Array& array) const;
  bool comes_in_time(const Value& value, const Node& user) const;
  void move_in_front(const Value& value, Node& user);
  bool can_hold_constant(ElementType type) const;
  bool replace_output(Value* value, Value* with);

  Model& model_;
  const analysis::Facts& facts_;
  bool keeps_bits_ = false, notes_refusals_ = false;
  std::uint64_t most_computed_ = kMostFoldedBytes;
  mutable std::vector<std::string> refusals_;
  Node* position_ = nullptr;
  std::vector<Node*> made_nodes_;
  std::vector<Value*> made_constants_;
  std::vector<std::pair<std::vector<OpsetImport>*, std::string_view>> made_imports_;  // into the model or a function
  std::string note_;
};

}  // namespace onnxpress::passes

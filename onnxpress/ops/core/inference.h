// Inference: what a shape inference function sees of one node: facts about its operands in, facts about its results
// out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/ops/core/dim_math.h"
#include "onnxpress/ops/core/fact.h"
#include "onnxpress/ops/core/params.h"

namespace onnxpress::ops {

// Symbols made for the axes of results, by value id and axis.
using FreshDims = std::map<std::pair<std::uint32_t, std::size_t>, Dim>;

class Inference : public ConstantOperands {
 public:
  // Infers a body from facts about its inputs and returns facts about its outputs. Set by the engine, for If, Loop and
  // Scan.
  using InferBody = std::function<std::vector<Fact>(Graph& body, std::span<const Fact> inputs)>;

  Inference(const Node& node, const Op& op, std::span<const Fact* const> operands, DimMath& math,
            const AttributeScope* scope = nullptr);
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  const Params params;
  DimMath& dims;
  InferBody infer_body;

  std::size_t operand_count() const { return operands_.size(); }
  bool has(std::size_t i) const { return i < operands_.size() && operands_[i]; }
  const Fact& operand(std::size_t i) const;  // an unknown fact when omitted
  const Fact& operand(std::string_view name) const;
  // The shape of operand i; null when its rank is not known (`if (const Shape* x = in.shape(0))`).
  const Shape* shape(std::size_t i) const { return operand(i).shape ? &*operand(i).shape : nullptr; }
  // The elements of an integer operand, of which some may be unknown; null when nothing is known about them.
  const std::vector<Dim>* elements(std::size_t i) const {
    return operand(i).elements ? &*operand(i).elements : nullptr;
  }
  // A list parameter such as `axes`, `shape` or `pads`, whether attribute or operand. Each element is an expression or
  // unknown; nullopt when the list is absent or not even its length is known.
  std::optional<std::vector<Dim>> symbolic(std::string_view name) const;

  std::size_t result_count() const { return results_.size(); }
  Fact& result(std::size_t i = 0) { return results_[i]; }  // initially has the element type that the schema determines
  void set_shape(std::size_t i, Shape shape);
  void set_shape(Shape shape) { set_shape(0, std::move(shape)); }
  void set_element(std::size_t i, ElementType type);
  void set_rank(std::size_t i, std::size_t rank) { set_shape(i, Shape(rank)); }
  void set_elements(std::size_t i, std::vector<Dim> elements);  // the shape must be set before
  void set(std::size_t i, Fact fact) {
    if (i < results_.size()) results_[i] = std::move(fact);
  }
  void same_as(std::size_t result, std::size_t operand);  // shape only
  // A size that depends on data (NonZero, Unique): a new symbol, at least 0.
  Dim fresh(std::size_t result, std::size_t axis);
  // Where fresh() keeps the symbols of this node, so that a second inference gets the same ones. Without it, fresh()
  // always makes new ones.
  void remember_in(FreshDims& symbols) { remembered_ = &symbols; }
  std::vector<Fact>& results() { return results_; }

  // Says that the operands break a rule of the op, so that no runtime can compute it. Nothing is known about the
  // results then.
  void contradict(std::string why);
  // Says that the operands break a rule of the op that checkers and runtimes let pass when they load the model,
  // although no run can succeed or the standard says otherwise. What is inferred stays, and `check` gives a warning.
  void warn(std::string why);
  // For an op that requires a == b; contradicts when that is impossible.
  void unify(Dim a, Dim b);
  // Empty when the operands break no rule.
  const std::string& contradiction() const { return contradiction_; }
  bool only_warns() const { return only_warns_; }              // the rule is one of warn()
  bool types_contradict() const { return types_contradict_; }  // the contradiction is about element types

  const Array* constant(std::size_t i) const override;

 private:
  std::span<const Fact* const> operands_;
  std::vector<Fact> results_;
  mutable std::vector<std::shared_ptr<const Array>> from_elements_;  // constants made of fully known elements
  std::string contradiction_;
  FreshDims* remembered_ = nullptr;
  bool types_contradict_ = false, only_warns_ = false;
};

// The shape of operands broadcast together (NumPy's rules); nullopt when the rank of one is not known.
std::optional<Shape> broadcast(Inference& in, std::span<const Shape* const> shapes);
void infer_same_shape(Inference& in);  // result 0 has the shape of operand 0
void infer_broadcast(Inference& in);   // result 0 has the shape of all operands broadcast together

}  // namespace onnxpress::ops

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

// Symbols made for axes of results, by the result's id and the axis.
using FreshDims = std::map<std::pair<std::uint32_t, std::size_t>, Dim>;

class Inference : public ConstantOperands {
 public:
  // Infers a body with facts about its inputs; gives facts about its outputs. From the engine, for If, Loop and Scan.
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
  // The shape of operand i when its rank is known; null otherwise (`if (const Shape* x = in.shape(0))`).
  const Shape* shape(std::size_t i) const { return operand(i).shape ? &*operand(i).shape : nullptr; }
  // Elements of an integer operand, some maybe unknown; null when nothing is known about them.
  const std::vector<Dim>* elements(std::size_t i) const {
    return operand(i).elements ? &*operand(i).elements : nullptr;
  }
  // A list parameter such as `axes`, `shape`, `pads`, wherever it lives, each element an expression or unknown; nullopt
  // when it is absent or not even its length is known.
  std::optional<std::vector<Dim>> symbolic(std::string_view name) const;

  std::size_t result_count() const { return results_.size(); }
  Fact& result(std::size_t i = 0) { return results_[i]; }  // starts with the element type that the schema forces
  void set_shape(std::size_t i, Shape shape);
  void set_shape(Shape shape) { set_shape(0, std::move(shape)); }
  void set_element(std::size_t i, ElementType type);
  void set_rank(std::size_t i, std::size_t rank) { set_shape(i, Shape(rank)); }
  void set_elements(std::size_t i, std::vector<Dim> elements);  // the shape must be set before
  void set(std::size_t i, Fact fact) {
    if (i < results_.size()) results_[i] = std::move(fact);
  }
  void same_as(std::size_t result, std::size_t operand);  // shape only
  // A size that depends on data (NonZero, Unique): a symbol of its own, at least 0.
  Dim fresh(std::size_t result, std::size_t axis);
  // Symbols that fresh() made for this node before: asking again gives the same ones. Otherwise each time a new one.
  void remember_in(FreshDims& symbols) { remembered_ = &symbols; }
  std::vector<Fact>& results() { return results_; }

  // The operands break a rule of the op, so that no runtime can compute it: nothing is known of the results then.
  void contradict(std::string why);
  // The op's rule forces a == b; contradicts when that is impossible.
  void unify(Dim a, Dim b);
  // Empty when the operands keep all rules.
  const std::string& contradiction() const { return contradiction_; }
  bool types_contradict() const { return types_contradict_; }  // then it is about element types

  const Array* constant(std::size_t i) const override;

 private:
  std::span<const Fact* const> operands_;
  std::vector<Fact> results_;
  mutable std::vector<std::shared_ptr<const Array>> from_elements_;  // constants made of fully known elements
  std::string contradiction_;
  FreshDims* remembered_ = nullptr;
  bool types_contradict_ = false;
};

// Rules that many ops share.
// The shape of operands broadcast together (numpy rules); nullopt when one's rank is not known.
std::optional<Shape> broadcast(Inference& in, std::span<const Shape* const> shapes);
void infer_same_shape(Inference& in);  // result 0 has the shape of operand 0
void infer_broadcast(Inference& in);   // result 0 has the shape of all operands broadcast together

}  // namespace onnxpress::ops

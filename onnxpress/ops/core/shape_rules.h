// ShapeRules: what a user says about ops that we do not know, one line each:
//
//   com.example.Patch <size = 2> (T[N,C,H,W] x) => (T[N, C*size*size, H/size, W/size] y)
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "onnxpress/ir/graph.h"
#include "onnxpress/ops/core/dim_math.h"
#include "onnxpress/ops/core/fact.h"

namespace onnxpress::ops {

class ShapeRules {
 public:
  // Throws Error, with the line, when the text is not in that form (docs/infer.md describes it).
  static ShapeRules parse(std::string_view text);
  ~ShapeRules();
  ShapeRules(ShapeRules&&) noexcept;
  ShapeRules& operator=(ShapeRules&&) noexcept;

  bool empty() const { return rules_.empty(); }
  bool has_rule(const Node& node) const;
  // Facts of all results by the rule, one operand per input of the node (null: omitted); nullopt when there is no rule,
  // or the operands do not fit it.
  std::optional<std::vector<Fact>> infer(const Node& node, std::span<const Fact* const> operands, DimMath& dims) const;

  struct Rule;

 private:
  ShapeRules();
  const Rule* rule_of(const Node& node) const;

  std::vector<Rule> rules_;
};

}  // namespace onnxpress::ops

// ShapeRules: what a user says about ops that we do not know, one line each:
//
//   com.example.Patch <size = 2> (T[N,C,H,W] x) => (T[N, C*size*size, H/size, W/size] y)
//   com.example.Mix (T[N,K] x, T[K,M] w) => (T[N,M] y) : macs N*K*M, flops N*M
//
// A line may say the shapes, the cost, or both; `Mix (T[N,K] x, T[K,M] w) : macs N*K*M` says the cost alone.
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
  // Throws Error, with the line, when the text is not in that form (docs/commands/infer.md describes it).
  static ShapeRules parse(std::string_view text);
  ~ShapeRules();
  ShapeRules(ShapeRules&&) noexcept;
  ShapeRules& operator=(ShapeRules&&) noexcept;

  bool empty() const { return rules_.empty(); }
  bool has_rule(const Node& node) const;  // about shapes
  // Infers the facts of all results by the rule, with one operand per input of the node (null: omitted). Nullopt when
  // there is no rule, or the operands do not match it.
  std::optional<std::vector<Fact>> infer(const Node& node, std::span<const Fact* const> operands, DimMath& dims) const;

  // The work of a node by its rule; dims are unknown where sizes are not known. Nullopt when there is no rule, it does
  // not mention work, or the operands do not match it.
  struct Work {
    Dim macs, flops;
  };
  std::optional<Work> work(const Node& node, std::span<const Fact* const> operands, DimMath& dims) const;

  struct Rule;

 private:
  ShapeRules();
  const Rule* rule_of(const Node& node, bool for_work) const;

  std::vector<Rule> rules_;
};

}  // namespace onnxpress::ops

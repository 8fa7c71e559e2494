// Pattern: a small graph to look for, written as an expression. Each form that exporters write takes one line.
//
//   static const Pattern kSilu("Mul(x, Sigmoid(x))");
//   if (const auto match = kSilu.find(node, rw)) return rw.replace(node, rw.make("Swish", {(*match)["x"]}));
//
//   Op(a, b)       a node of the standard domain; operands of commutative ops in either order
//   x              any value; the same name is the same value everywhere
//   d = Op(a, b)   gives the result of a node a name
//   0.5            a constant of one element: this number, up to the rounding of its type
//   #k             any constant of one element; match.number("k") returns it
//   Op?(a)         the node, or a itself
//   (a | b)        one or the other
//
// A node may have more operands than the pattern says (the axes of a reduction, say). The caller must check those, and
// all attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

class Match {
 public:
  Value* operator[](std::string_view name) const;  // null: that part of the pattern was not needed
  Node* node(std::string_view name) const;         // the node that computes the value of that name
  double number(std::string_view name) const;      // of #name; 0 when that part was not needed
  bool has_number(std::string_view name) const;
  const std::vector<Node*>& nodes() const { return nodes_; }

 private:
  friend class PatternSearch;
  std::vector<std::pair<std::string_view, Value*>> values_;
  std::vector<std::pair<std::string_view, double>> numbers_;
  std::vector<Node*> nodes_;  // the root first
};

class Pattern {
 public:
  explicit Pattern(std::string_view text);  // a literal: the pattern refers to it

  // Matches the pattern with `root` as its outermost node. Nothing else may read the values between its nodes, so they
  // all disappear when the root is replaced.
  std::optional<Match> find(Node& root, const Rewriter& rw) const;

  // For PatternSearch.
  struct Term {
    enum class Kind : std::uint8_t { kOp, kValue, kNumber, kAnyNumber, kChoice };
    Kind kind = Kind::kValue;
    std::string_view text;  // the op, or a name
    std::string_view name;  // of the result of an op; empty: none
    double number = 0;
    bool optional = false;
    std::vector<std::uint32_t> operands;
  };
  const Term& term(std::uint32_t i) const { return terms_[i]; }
  std::uint32_t root() const { return root_; }

 private:
  friend class PatternReader;
  std::vector<Term> terms_;
  std::uint32_t root_ = 0;
};

// The first of several patterns that matches.
template <typename Patterns>
std::optional<Match> find_first(const Patterns& patterns, Node& root, const Rewriter& rw) {
  for (const Pattern& pattern : patterns) {
    if (auto match = pattern.find(root, rw)) return match;
  }
  return std::nullopt;
}

}  // namespace onnxpress::passes

// TypeChecker: the types of a node's inputs and outputs against the type constraints of its op.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/ops/core/fact.h"

namespace onnxpress::analysis {

class TypeChecker {
 public:
  TypeChecker(const Facts& facts, FindingList& found) : facts_(facts), found_(found) {}

  void check(const AppliedOp& op);

 private:
  // The part of a type that constraints look at: a tensor's element type, or the text of another type ("seq(float)").
  struct Known {
    ElementType element = ElementType::kUndefined;
    std::string text;  // empty for tensors

    bool is_nothing() const { return element == ElementType::kUndefined && text.empty(); }
    friend bool operator==(const Known&, const Known&) = default;
  };
  // A type variable, or a type that the schema spells out, which is treated as a constraint with a single choice.
  struct Constraint {
    std::string_view name;
    std::uint64_t elements = 0;            // bit per element type of tensors that are allowed
    std::vector<std::string_view> others;  // "seq(float)", ...
    bool is_variable = false;
  };
  struct Constraints {
    std::vector<Constraint> all;
    std::vector<std::size_t> operands, results;  // by formal: index in `all`
  };
  struct Bound {
    Known type;
    std::string_view what;  // "input", "output"
    std::size_t position = 0;
    bool is_bad = false;  // reported already
  };

  const Constraints& constraints_of(const ops::Schema& schema);
  Known type_of(const Value& value) const;
  void check_value(const AppliedOp& op, std::string_view what, std::size_t position, const Value& value,
                   const ops::Formal& formal, const Constraint& constraint, Bound& bound);

  const Facts& facts_;
  FindingList& found_;
  std::unordered_map<const ops::Schema*, Constraints> constraints_;
  std::vector<Bound> bound_;  // by constraint
};

}  // namespace onnxpress::analysis

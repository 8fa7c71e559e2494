// Binds the type variables of a schema to what is known about a node's inputs and outputs.
#include "onnxpress/analysis/check/check_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

using ops::Fact;

namespace {

// The type as schemas write it: "float", "seq(float)", "optional(seq(int64))", "map(int64,float)". Nullopt when a part
// is unknown.
std::optional<std::string> schema_text(const Fact& fact) {
  const auto around = [&](std::string_view kind) -> std::optional<std::string> {
    const auto inner = fact.inner ? schema_text(*fact.inner) : std::nullopt;
    return inner ? std::optional(fmt::format("{}({})", kind, *inner)) : std::nullopt;
  };
  switch (fact.kind) {
    case Fact::Kind::kTensor:
      return is_known(fact.element) ? std::optional(std::string(name_of(fact.element))) : std::nullopt;
    case Fact::Kind::kSequence:
      return around("seq");
    case Fact::Kind::kOptional:
      return around("optional");
    case Fact::Kind::kMap: {
      const auto inner = fact.inner ? schema_text(*fact.inner) : std::nullopt;
      if (!inner || !is_known(fact.element)) return std::nullopt;
      return fmt::format("map({},{})", name_of(fact.element), *inner);
    }
    default:
      return std::nullopt;
  }
}

std::uint64_t bit_of(ElementType element) { return std::uint64_t{1} << static_cast<unsigned>(element); }

// "float", "float or double", "float, double, int64 or 9 more"
std::string list_text(std::uint64_t elements, const std::vector<std::string_view>& others) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string_view> names;
  for (int i = 1; i < kElementTypeCount; ++i) {
    const auto element = static_cast<ElementType>(i);
    if ((elements & bit_of(element)) != 0) names.push_back(name_of(element));
  }
  names.insert(names.end(), others.begin(), others.end());
  const std::size_t shown = names.size() <= kShown + 1 ? names.size() : kShown;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return shown == names.size() ? text : fmt::format("{} or {} more", text, names.size() - shown);
}

}  // namespace

const TypeChecker::Constraints& TypeChecker::constraints_of(const ops::Schema& schema) {
  const auto [at, is_new] = constraints_.try_emplace(&schema);
  Constraints& constraints = at->second;
  if (!is_new) return constraints;
  const auto allow = [](Constraint& constraint, std::string_view type) {
    if (const auto element = element_type_named(type)) {
      constraint.elements |= bit_of(*element);
    } else {
      constraint.others.push_back(type);
    }
  };
  const auto index_of = [&](std::string_view type) {
    for (std::size_t i = 0; i < constraints.all.size(); ++i) {
      if (constraints.all[i].name == type) return i;
    }
    Constraint made{.name = type};
    for (const ops::TypeVariable& variable : schema.type_variables) {
      if (variable.name != type) continue;
      made.is_variable = true;
      for (const std::string_view each : variable.types) allow(made, each);
    }
    if (!made.is_variable) allow(made, type);
    constraints.all.push_back(std::move(made));
    return constraints.all.size() - 1;
  };
  for (const ops::Formal& formal : schema.operands) constraints.operands.push_back(index_of(formal.type));
  for (const ops::Formal& formal : schema.results) constraints.results.push_back(index_of(formal.type));
  return constraints;
}

TypeChecker::Known TypeChecker::type_of(const Value& value) const {
  const Fact& fact = facts_.of(value);
  if (fact.is_tensor()) return {.element = is_known(fact.element) ? fact.element : ElementType::kUndefined};
  return {.text = schema_text(fact).value_or("")};
}

void TypeChecker::check(const AppliedOp& op) {
  const Constraints& constraints = constraints_of(op.schema);
  bound_.assign(constraints.all.size(), {});
  const auto check_list = [&](std::string_view what, std::size_t count, const auto& value_at,
                              std::span<const ops::Formal> formals, std::span<const std::size_t> which) {
    for (std::size_t i = 0; i < count && !formals.empty(); ++i) {
      const std::size_t at = std::min(i, formals.size() - 1);
      if (at < i && !formals[at].variadic) break;
      const Value* value = value_at(i);
      if (value) check_value(op, what, i, *value, formals[at], constraints.all[which[at]], bound_[which[at]]);
    }
  };
  const Node& node = op.node;
  check_list(
      "input", node.input_count(), [&](std::size_t i) { return node.input(i); }, op.schema.operands,
      constraints.operands);
  check_list(
      "output", node.output_count(), [&](std::size_t i) { return node.output(i); }, op.schema.results,
      constraints.results);
}

void TypeChecker::check_value(const AppliedOp& op, std::string_view what, std::size_t position, const Value& value,
                              const ops::Formal& formal, const Constraint& constraint, Bound& bound) {
  const Known type = type_of(value);
  if (type.is_nothing()) return;
  const std::string_view name = type.text.empty() ? name_of(type.element) : std::string_view(type.text);
  const bool allowed = type.text.empty() ? (constraint.elements & bit_of(type.element)) != 0
                                         : std::ranges::find(constraint.others, type.text) != constraint.others.end();
  if (!allowed) {
    if (std::exchange(bound.is_bad, true)) return;  // one finding per type variable is enough
    found_.add(op.severity, "unsupported-type", op.node,
               fmt::format("{} {} {} is {}, but {} (version {}) {} {}", what, position, quote_name(value.name()), name,
                           op.schema.name, op.schema.since, what == "input" ? "takes" : "returns",
                           list_text(constraint.elements, constraint.others)));
    return;
  }
  if (formal.mixed || !constraint.is_variable || bound.is_bad) return;
  if (bound.type.is_nothing()) {
    bound = {.type = type, .what = what, .position = position};
  } else if (bound.type != type) {
    bound.is_bad = true;
    found_.add(op.severity, "type-mismatch", op.node,
               fmt::format("{} {} {} is {}, but {} {} is {}; {} needs the same type for both", what, position,
                           quote_name(value.name()), name, bound.what, bound.position,
                           bound.type.text.empty() ? name_of(bound.type.element) : std::string_view(bound.type.text),
                           op.schema.name));
  }
}

}  // namespace onnxpress::analysis

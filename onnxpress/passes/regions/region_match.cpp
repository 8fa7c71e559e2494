// Matches backwards from the first output, operand by operand; commutative operands are tried in both orders.
#include "onnxpress/passes/regions/region_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/same_value.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::passes {

namespace {

std::string quoted_title_of(const Node& node) {
  const std::string_view name = node.name().empty() && node.output() ? node.output()->name() : node.name();
  return fmt::format("{} {}", node.op_type(), quote_name(name));
}

std::optional<ops::Array> array_of(const Value& value) {
  try {
    const Tensor* tensor = constant_tensor(value);
    return tensor ? std::optional(ops::Array::from(*tensor)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise) {
  const Attribute* attribute = node.attribute(name);
  const auto* number = attribute ? std::get_if<std::int64_t>(&attribute->value) : nullptr;
  return number ? *number : otherwise;
}

double real_of(const Node& node, std::string_view name, double otherwise) {
  const Attribute* attribute = node.attribute(name);
  const auto* number = attribute ? std::get_if<float>(&attribute->value) : nullptr;
  return number ? *number : otherwise;
}

}  // namespace

Node* RegionMatch::last() const {
  Node* last = nullptr;
  for (const auto& [pattern, node] : nodes) {
    if (!last || last->comes_before(*node)) last = node;
  }
  return last;
}

RegionMatcher::RegionMatcher(const Graph& pattern, const analysis::Facts& facts) : pattern_(pattern), facts_(facts) {}

bool RegionMatcher::fail(const RegionMatch& match, std::string why) {
  if (match.nodes.size() >= closest_ && !match.nodes.empty()) {
    closest_ = match.nodes.size();
    reason_ = fmt::format("at {}: {}", quoted_title_of(*match.nodes.front().second), why);
  }
  return false;
}

bool RegionMatcher::is_condition(const Node& node) const { return node.domain() == "where"; }

std::optional<RegionMatch> RegionMatcher::match(Node& node) {
  if (pattern_.outputs().empty()) return std::nullopt;
  const Value& output = *pattern_.outputs().front()->value;
  if (!output.producer() || output.output_index() >= node.output_count() || !node.output(output.output_index()))
    return std::nullopt;
  RegionMatch found;
  if (!match_value(&output, node.output(output.output_index()), found) || !match_rest(found)) return std::nullopt;
  for (const Node& each : pattern_.nodes()) {
    if (is_condition(each) && !holds(each, found)) return std::nullopt;
  }
  return is_closed(found) ? std::optional(std::move(found)) : std::nullopt;
}

bool RegionMatcher::match_value(const Value* pattern, Value* value, RegionMatch& match) {
  if (!pattern) return value == nullptr || fail(match, "there is an operand that the pattern omits");
  const auto bound = match.values.find(pattern);
  if (bound != match.values.end()) return bound->second == value || fail(match, "it reads another value");
  if (pattern->is_input()) {
    match.values[pattern] = value;
    return true;
  }
  if (!value) return fail(match, "an operand is omitted");
  if (constant_tensor(*pattern)) {
    if (!same_constant(*pattern, *value))
      return fail(match, fmt::format("{} is a different constant, or not a constant", quote_name(value->name())));
    match.values[pattern] = value;
    return true;
  }
  Node* maker = value->producer();
  if (!pattern->producer()) return false;
  if (!maker || maker->op_type() != pattern->producer()->op_type() || value->output_index() != pattern->output_index())
    return fail(match,
                fmt::format("{} does not come from {}", quote_name(value->name()), pattern->producer()->op_type()));
  if (!match.nodes.empty() && maker->graph() != match.nodes.front().second->graph())
    return fail(match, fmt::format("{} comes from another graph", quote_name(value->name())));
  return match_node(*pattern->producer(), *maker, match);
}

bool RegionMatcher::match_node(const Node& pattern, Node& node, RegionMatch& match) {
  for (const auto& [before, with] : match.nodes) {
    if ((before == &pattern) != (with == &node)) return fail(match, "one node would match twice");
    if (before == &pattern) return true;
  }
  if (pattern.op_type() != node.op_type() || normal_domain(pattern.domain()) != normal_domain(node.domain()))
    return false;
  match.nodes.emplace_back(&pattern, &node);
  for (std::size_t i = 0; i < pattern.output_count(); ++i) {
    if (pattern.output(i)) match.values[pattern.output(i)] = node.output(i);
  }
  if (!match_attributes(pattern, node, match)) return false;
  RegionMatch before = match;
  if (match_operands(pattern, node, false, match)) return true;
  const ops::Op* op = facts_.ops().plain_op_of(node);
  if (!op || !op->has(ops::kCommutative) || node.input_count() != 2) return false;
  match = std::move(before);
  return match_operands(pattern, node, true, match);
}

bool RegionMatcher::match_operands(const Node& pattern, Node& node, bool swapped, RegionMatch& match) {
  const std::size_t count = std::max(pattern.input_count(), node.input_count());
  for (std::size_t i = 0; i < count; ++i) {
    if (!match_value(pattern.input(i), node.input(swapped ? 1 - i : i), match)) return false;
  }
  return true;
}

bool RegionMatcher::match_attributes(const Node& pattern, const Node& node, RegionMatch& match) {
  const ops::Op* op = facts_.ops().plain_op_of(node);
  for (const Attribute* wanted : pattern.attributes()) {
    const Attribute* given = node.attribute(wanted->name);
    if (wanted->is_reference()) {
      const auto [at, is_new] = match.settings.emplace(wanted->ref_name, given);
      if (is_new) continue;
      const bool same =
          (!at->second && !given) || (at->second && given && same_plain_value(at->second->value, given->value));
      if (!same) return fail(match, fmt::format("{} is not the same everywhere", wanted->ref_name));
      continue;
    }
    const bool is_absent_default = !given && op && ops::is_default(*op->schema, *wanted);
    if (is_absent_default || (given && same_plain_value(given->value, wanted->value))) continue;
    return fail(match, fmt::format("{} of {} has a different value", wanted->name, quoted_title_of(node)));
  }
  for (const Attribute* given : node.attributes()) {
    if (pattern.attribute(given->name) || (op && ops::is_default(*op->schema, *given))) continue;
    return fail(match, fmt::format("{} of {} is not the default", given->name, quoted_title_of(node)));
  }
  return true;
}

// Matches nodes that only the other outputs need, starting from the values that they read.
bool RegionMatcher::match_rest(RegionMatch& match) {
  for (const Node& pattern : pattern_.nodes()) {
    if (is_condition(pattern) || pattern.is("Constant")) continue;
    if (std::ranges::any_of(match.nodes, [&](const auto& each) { return each.first == &pattern; })) continue;
    bool found = false;
    for (const Use& operand : pattern.inputs()) {
      const Value* start = operand.value() ? match[operand.value()] : nullptr;
      for (const Use* use = start ? start->first_use() : nullptr; use && !found; use = use->next()) {
        RegionMatch trial = match;
        const bool same_graph = use->user()->graph() == match.nodes.front().second->graph();
        if (!same_graph || !match_node(pattern, *use->user(), trial)) continue;
        match = std::move(trial);
        found = true;
      }
      if (found) break;
    }
    if (!found) return fail(match, fmt::format("there is no {} next to it", pattern.op_type()));
  }
  return true;
}

bool RegionMatcher::same_constant(const Value& pattern, const Value& value) const {
  const auto wanted = array_of(pattern);
  auto given = array_of(value);
  if (!given) given = facts_.constant(value, 1 << 16);
  if (!wanted || !given) return false;
  const bool single = wanted->count() == 1 && given->count() == 1;
  if (!single && wanted->sizes() != given->sizes()) return false;
  if (wanted->is_string() || given->is_string()) return false;
  const auto left = ops::converted(*wanted, ElementType::kDouble), right = ops::converted(*given, ElementType::kDouble);
  if (!left || !right) return false;
  const double rounding = is_float(given->type()) && bits_of(given->type()) <= 16 ? 1e-3 : 1e-6;
  for (std::size_t i = 0; i < left->count(); ++i) {
    const double a = left->data<double>()[i], b = right->data<double>()[i];
    if (!(std::abs(a - b) <= rounding * std::max(std::abs(a), 1e-6)) && a != b) return false;
  }
  return true;
}

bool RegionMatcher::holds(const Node& condition, const RegionMatch& match) {
  const Value* value = match[condition.input(0)];
  const std::string_view kind = condition.op_type();
  const auto shape = value ? facts_.shape_of(*value) : std::nullopt;
  const auto array = value ? facts_.constant(*value, 1 << 16) : std::nullopt;
  bool holds = false;
  if (kind == "Constant") {
    holds = value && (constant_tensor(*value) || array);
  } else if (kind == "Scalar") {
    holds = shape && std::ranges::all_of(*shape, [](Dim dim) { return dim.size() == 1; });
  } else if (kind == "Rank") {
    holds = shape && static_cast<std::int64_t>(shape->size()) == integer_of(condition, "rank", -1);
  } else if (kind == "Type") {
    holds = value && static_cast<std::int64_t>(facts_.of(*value).element) == integer_of(condition, "to", 0);
  } else if (kind == "Shape") {
    const Attribute* dims = condition.attribute("dims");
    const auto* sizes = dims ? std::get_if<std::span<const std::int64_t>>(&dims->value) : nullptr;
    holds = sizes && shape && std::ranges::equal(*shape, *sizes, [](Dim dim, std::int64_t size) {
              return size < 0 || dim.size() == size;
            });
  } else if (kind == "SameShape") {
    const Value* other = match[condition.input(1)];
    const auto second = other ? facts_.shape_of(*other) : std::nullopt;
    holds = shape && second &&
            std::ranges::equal(*shape, *second, [this](Dim a, Dim b) { return facts_.dims().equal(a, b); });
  } else if (kind == "Between") {
    const auto wide = array ? ops::converted(*array, ElementType::kDouble) : std::nullopt;
    const double low = real_of(condition, "low", -HUGE_VAL), high = real_of(condition, "high", HUGE_VAL);
    holds = wide && std::ranges::all_of(wide->data<double>(), [&](double x) { return x >= low && x <= high; });
  }
  return holds || fail(match, fmt::format("where.{} ({}) does not hold", kind, value ? value->name() : ""));
}

bool RegionMatcher::is_closed(const RegionMatch& match) {
  const auto is_inside = [&match](const Node* node) {
    return std::ranges::any_of(match.nodes, [node](const auto& each) { return each.second == node; });
  };
  const Node& last = *match.last();
  for (const auto& [pattern, node] : match.nodes) {
    for (std::size_t i = 0; i < node->output_count(); ++i) {
      Value* value = node->output(i);
      if (!value) continue;
      const Value* named = pattern->output(i);
      const bool is_result = named && named->is_output();
      if (value->is_output() && !is_result)
        return fail(match, fmt::format("{} is an output", quote_name(value->name())));
      for (const Use* use = value->first_use(); use; use = use->next()) {
        if (is_inside(use->user())) continue;
        if (!is_result) return fail(match, fmt::format("{} has other users", quote_name(value->name())));
        const Node* user = use->user();
        while (user && user->graph() != last.graph()) user = user->graph()->owner();
        if (user && user->comes_before(last))
          return fail(match, fmt::format("{} is read before the last node", quote_name(value->name())));
      }
    }
  }
  return true;
}

}  // namespace onnxpress::passes

// Compares inner values in the order of the first model, then walks back from the first difference to the node that
// causes it.
#include "onnxpress/tasks/verify/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/compare/match_values.h"
#include "onnxpress/compare/nudge.h"
#include "onnxpress/compare/output_difference.h"
#include "onnxpress/compare/recorder.h"
#include "onnxpress/engines/run_work.h"
#include "onnxpress/tasks/profile/profile_names.h"

namespace onnxpress {

namespace {

// What is known about a value of the first model and its counterpart.
struct Seen {
  bool same = false, within = false;
  std::optional<double> snr;
  double max_abs = 0, share = 0;  // largest difference; the noise as a share of the signal
};

// Matches inputs by name, or else by position.
void match_inputs(const Model& first, const Model& second, compare::MatchedValues& matched) {
  const auto inputs = first.graph().inputs(), others = second.graph().inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const ValueInfo* other : others) {
      if (other->value->name() == inputs[i]->value->name()) matched[inputs[i]->value] = other->value;
    }
    if (!matched.contains(inputs[i]->value) && i < others.size()) matched[inputs[i]->value] = others[i]->value;
  }
}

class Locator {
 public:
  Locator(const GivenModel& first, const GivenModel& second, const engines::Engine& engine)
      : first_(first.model.clone()),
        second_(second.model.clone()),
        left_(engine, first_, first.inputs),
        right_(engine, second_, second.inputs) {}

  Location locate() {
    found_.inlined = left_.inline_branches();
    right_.inline_branches();
    matched_ = compare::match_values(first_, second_);
    match_inputs(first_, second_, matched_);
    comparer_.emplace(first_, second_, matched_);
    compare_all();
    const Value* start = first_that_is_off();
    if (!start) {
      found_.why = "no inner value differs by more than its floor";
      return std::move(found_);
    }
    const Value& guilty = walk_back(*start);
    for (const Value* value : order_) {
      if (value == &guilty) break;
      if (const auto at = seen_.find(value); at != seen_.end() && at->second.same) ++found_.same_before;
    }
    show_path(guilty);
    return std::move(found_);
  }

  // The walk ended at a node that is the same in both models, so the real difference is in a value without a
  // counterpart.
  bool is_unsure() const { return unsure_; }

 private:
  // Works in parts, so that not all values of a large model are in memory at once.
  void compare_all() {
    const analysis::Facts facts(first_, engines::settings_for(left_.inputs()));
    epsilon_ = compare::coarsest_epsilon(first_, facts);
    const engines::NamedArrays moved = compare::nudged(left_.inputs(), compare::nudge_of(first_, facts));
    std::vector<Value*> matched;
    for (Value* value : compare::results_of(first_)) {
      ++found_.values;
      order_.push_back(value);
      if (matched_.contains(value)) matched.push_back(value);
    }
    found_.matched += matched.size();
    for (const std::vector<Value*>& part : compare::parts_to_record(matched, facts)) compare(part, moved);
  }

  void compare(const std::vector<Value*>& part, const engines::NamedArrays& moved) {
    std::vector<Value*> others;
    others.reserve(part.size());
    for (const Value* value : part) others.push_back(const_cast<Value*>(matched_.at(value)));
    const compare::Recorder::Values a = left_.record(part), b = right_.record(others);
    compare::Recorder::Values floor;
    try {
      floor = left_.record(part, moved);
    } catch (const Error&) {  // then only differences as small as rounding are accepted
    }
    for (const Value* value : part) {
      const auto x = a.find(value), y = b.find(matched_.at(value));
      const auto z = floor.find(value);
      if (x == a.end() || y == b.end()) continue;
      const compare::OutputDifference difference = compare::difference_of(x->second, y->second);
      const compare::OutputDifference by_itself =
          z == floor.end() ? compare::OutputDifference() : compare::difference_of(x->second, z->second);
      Seen& seen = seen_[value];
      seen.same = difference.same_bits;
      seen.within = compare::is_within_floor(difference, by_itself, epsilon_);
      seen.snr = difference.distance.snr();
      seen.max_abs = difference.distance.max_abs;
      seen.share = !difference.why.empty() || !difference.is_real
                       ? (difference.same_bits ? 0 : 1e300)
                       : difference.distance.noise / std::max(difference.distance.signal, 1e-300);
    }
  }

  const Value* first_that_is_off() const {
    const auto first = [this](auto&& is_off) -> const Value* {
      for (const Value* value : order_) {
        const auto at = seen_.find(value);
        if (at != seen_.end() && is_off(at->second)) return value;
      }
      return nullptr;
    };
    const Value* off = first([](const Seen& seen) { return !seen.within; });
    return off ? off : first([](const Seen& seen) { return !seen.same; });
  }

  // A node that is the same in both models cannot be the cause; then one of its operands differs, if only a little.
  const Value& walk_back(const Value& start) {
    const Value* value = &start;
    std::unordered_set<const Value*> visited;
    for (;;) {
      const Node& node = *value->producer();
      const Value* other = matched_.at(value);
      if (!other->producer()) return name(*value, node, "it is not the result of a node in the second model", nullptr);
      std::optional<compare::NodeDifference> different;
      try {
        different = comparer_->compare(node, *other->producer());
      } catch (const Error& error) {
        different = compare::NodeDifference{.what = error.message(), .node = &node};
      }
      if (different) {
        // The difference may be in operands without a counterpart (unnamed ones of an inlined branch).
        const Value* deeper = different->node == &node ? pair_operands(node, *other->producer()) : nullptr;
        if (!deeper) return name(*value, different->node ? *different->node : node, different->what, other->producer());
        value = deeper;
        continue;
      }
      const Value* worst = worst_operand(node);
      if (!worst || !visited.insert(worst).second) {
        unsure_ = true;
        return name(*value, node, "the nodes are the same, but give different results for the same operands",
                    other->producer());
      }
      value = worst;
    }
  }

  // Matches two operands at the same position if neither has a counterpart yet. Returns that of the first model; null
  // if there is none.
  const Value* pair_operands(const Node& a, const Node& b) {
    if (a.op_type() != b.op_type() || a.input_count() != b.input_count()) return nullptr;
    for (std::size_t i = 0; i < a.input_count(); ++i) {
      const Value *x = a.input(i), *y = b.input(i);
      if (!x || !y || !x->producer() || !y->producer() || matched_.contains(x)) continue;
      if (std::ranges::any_of(matched_, [y](const auto& each) { return each.second == y; })) continue;
      matched_[x] = y;
      comparer_->match(*x, *y);
      return x;
    }
    return nullptr;
  }

  const Value* worst_operand(const Node& node) const {
    const Value* worst = nullptr;
    double share = 0;
    for (const Use& use : node.inputs()) {
      const auto at = use.value() ? seen_.find(use.value()) : seen_.end();
      if (at == seen_.end() || at->second.same || !use.value()->producer()) continue;
      if (worst && at->second.share <= share) continue;
      worst = use.value();
      share = at->second.share;
    }
    return worst;
  }

  const Value& name(const Value& value, const Node& node, std::string why, const Node* other) {
    found_.node = name_of(node);
    found_.op = node.op_type();
    found_.value = value.name();
    found_.why = std::move(why);
    if (other) {
      found_.other_node = name_of(*other);
      found_.other_op = other->op_type();
    }
    return value;
  }

  // Breadth first, so that the shortest path to an output is shown.
  void show_path(const Value& guilty) {
    std::unordered_map<const Value*, const Value*> from{{&guilty, nullptr}};
    std::vector<const Value*> open{&guilty};
    const Value* end = &guilty;
    for (std::size_t i = 0; i < open.size(); ++i) {
      end = open[i];
      const auto at = seen_.find(end);
      if (end->is_output() && end->graph() == &first_.graph() && (at == seen_.end() || !at->second.same)) break;
      for (const Use* use = end->first_use(); use; use = use->next()) {
        for (const Value* result : use->user()->outputs()) {
          const auto seen = result ? seen_.find(result) : seen_.end();
          if (!result || (seen != seen_.end() && seen->second.same)) continue;
          if (from.emplace(result, end).second) open.push_back(result);
        }
      }
    }
    for (const Value* value = end; value; value = from.at(value)) found_.path.push_back(step_of(*value));
    std::ranges::reverse(found_.path);
  }

  LocationStep step_of(const Value& value) const {
    LocationStep step{.value = std::string(value.name())};
    if (const Node* node = value.producer()) {
      step.node = node->name();
      step.op = node->op_type();
    }
    if (const auto other = matched_.find(&value); other != matched_.end()) step.other_value = other->second->name();
    if (const auto seen = seen_.find(&value); seen != seen_.end()) {
      step.snr = seen->second.snr;
      step.max_abs = seen->second.max_abs;
    }
    return step;
  }

  Model first_, second_;
  compare::Recorder left_, right_;
  compare::MatchedValues matched_;
  std::optional<compare::NodeComparer> comparer_;
  std::vector<const Value*> order_;
  std::unordered_map<const Value*, Seen> seen_;
  double epsilon_ = 0;
  bool unsure_ = false;
  Location found_;
};

}  // namespace

Location locate(const GivenModel& first, const GivenModel& second, const engines::Engine& engine) {
  Location found;
  bool unsure = true;
  try {
    Locator locator(first, second, engine);
    found = locator.locate();
    unsure = locator.is_unsure() || found.node.empty();  // nodes of an inlined branch may have no name
  } catch (const Error& error) {
    found.why = fmt::format("the inner values could not be computed: {}", error.message());
  }
  if (!unsure) return found;
  try {
    if (auto by_structure = locate_by_structure(first.model, second.model)) {
      by_structure->path = std::move(found.path);
      by_structure->values = found.values, by_structure->matched = found.matched, by_structure->inlined = found.inlined;
      return std::move(*by_structure);
    }
  } catch (const Error&) {  // a constant cannot be read: keep the first answer
  }
  return found;
}

std::optional<Location> locate_by_structure(const Model& first, const Model& second) {
  compare::MatchedValues matched = compare::match_values(first, second);
  match_inputs(first, second, matched);
  compare::NodeComparer comparer(first, second, matched);
  Location found;
  for (const Node& node : first.graph().nodes()) {
    const auto other = node.output(0) ? matched.find(node.output(0)) : matched.end();
    if (other == matched.end() || !other->second->producer()) continue;
    const auto different = comparer.compare(node, *other->second->producer());
    if (!different) continue;
    found.node = name_of(different->node ? *different->node : node);
    found.op = different->node ? different->node->op_type() : node.op_type();
    found.value = node.output(0)->name();
    found.other_node = name_of(*other->second->producer());
    found.other_op = other->second->producer()->op_type();
    found.why = different->what;
    return found;
  }
  return std::nullopt;
}

}  // namespace onnxpress

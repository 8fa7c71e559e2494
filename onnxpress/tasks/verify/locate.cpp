// Compares inner values in the order of the first model, then walks back from the first that is off to the node that is
// really different.
#include "onnxpress/tasks/verify/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/tasks/verify/match_values.h"
#include "onnxpress/tasks/verify/nudge.h"
#include "onnxpress/tasks/verify/output_difference.h"
#include "onnxpress/tasks/verify/recorder.h"

namespace onnxpress::tasks {

namespace {

// What is known about a value of the first model and the one that stands for it.
struct Seen {
  bool same = false, within = false;
  std::optional<double> snr;
  double max_abs = 0, share = 0;  // largest difference; the noise as a share of the signal
};

analysis::FactSettings settings_for(const NamedArrays& inputs) {
  analysis::FactSettings settings;
  for (const auto& [name, array] : inputs) {
    std::vector<Dim> shape;
    for (const std::int64_t size : array.sizes()) shape.push_back(Dim::size(size));
    settings.shapes.emplace_back(name, std::move(shape));
  }
  return settings;
}

class Locator {
 public:
  Locator(const GivenModel& first, const GivenModel& second, const Engine& engine)
      : first_(first.model.clone()),
        second_(second.model.clone()),
        left_(engine, first_, first.inputs),
        right_(engine, second_, second.inputs) {}

  Location locate() {
    found_.inlined = left_.inline_branches();
    right_.inline_branches();
    matched_ = match_values(first_, second_);
    for (std::size_t i = 0; i < first_.graph().inputs().size(); ++i) match_input(*first_.graph().inputs()[i]->value, i);
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

 private:
  void match_input(const Value& input, std::size_t i) {
    for (const ValueInfo* other : second_.graph().inputs()) {
      if (other->value->name() == input.name()) matched_[&input] = other->value;
    }
    if (!matched_.contains(&input) && i < second_.graph().inputs().size())
      matched_[&input] = second_.graph().inputs()[i]->value;
  }

  // In parts, so that not all values of a large model are in memory at once.
  void compare_all() {
    constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20, kUnknown = std::uint64_t{1} << 20;
    const analysis::Facts facts(first_, settings_for(left_.inputs()));
    epsilon_ = coarsest_epsilon(first_, facts);
    const NamedArrays moved = nudged(left_.inputs(), nudge_of(first_, facts));
    std::vector<Value*> part;
    std::uint64_t bytes = 0;
    for (Value* value : results_of(first_)) {
      ++found_.values;
      order_.push_back(value);
      if (!matched_.contains(value)) continue;
      ++found_.matched;
      const auto sizes = facts.of(*value).sizes();
      const auto count = sizes ? product_of(*sizes) : std::nullopt;
      bytes += count ? raw_size(facts.of(*value).element, *count).value_or(kUnknown) : kUnknown;
      part.push_back(value);
      if (bytes < kMostBytes) continue;
      compare(part, moved);
      part.clear();
      bytes = 0;
    }
    compare(part, moved);
  }

  void compare(const std::vector<Value*>& part, const NamedArrays& moved) {
    if (part.empty()) return;
    std::vector<Value*> others;
    for (const Value* value : part) others.push_back(const_cast<Value*>(matched_.at(value)));
    const Recorder::Values a = left_.record(part), b = right_.record(others);
    Recorder::Values floor;
    try {
      floor = left_.record(part, moved);
    } catch (const Error&) {  // then only rounding is allowed
    }
    for (const Value* value : part) {
      const auto x = a.find(value), y = b.find(matched_.at(value));
      const auto z = floor.find(value);
      if (x == a.end() || y == b.end()) continue;
      const OutputDifference difference = difference_of(x->second, y->second);
      const OutputDifference by_itself = z == floor.end() ? OutputDifference() : difference_of(x->second, z->second);
      Seen& seen = seen_[value];
      seen.same = difference.same_bits;
      seen.within = is_within_floor(difference, by_itself, epsilon_);
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

  // A node that is the same in both models cannot be guilty: then one of its operands differs, if only a little.
  const Value& walk_back(const Value& start) {
    const Value* value = &start;
    std::unordered_set<const Value*> visited;
    for (;;) {
      const Node& node = *value->producer();
      const Value* other = matched_.at(value);
      if (!other->producer()) return name(*value, node, "it is no result of a node in the second model", nullptr);
      std::optional<NodeDifference> different;
      try {
        different = find_node_difference({first_, node}, {second_, *other->producer()}, matched_);
      } catch (const Error& error) {
        different = NodeDifference{.what = error.message(), .node = &node};
      }
      if (different) {
        // Operands without a counterpart (nameless ones of an inlined branch) may be what differs.
        const Value* deeper = different->node == &node ? pair_operands(node, *other->producer()) : nullptr;
        if (!deeper) return name(*value, different->node ? *different->node : node, different->what, other->producer());
        value = deeper;
        continue;
      }
      const Value* worst = worst_operand(node);
      if (!worst || !visited.insert(worst).second)
        return name(*value, node, "the nodes are the same, and give other results for the same operands",
                    other->producer());
      value = worst;
    }
  }

  // Takes operands in the same place for each other, where neither has another counterpart. The one of the first model;
  // null when there is none.
  const Value* pair_operands(const Node& a, const Node& b) {
    if (a.op_type() != b.op_type() || a.input_count() != b.input_count()) return nullptr;
    for (std::size_t i = 0; i < a.input_count(); ++i) {
      const Value *x = a.input(i), *y = b.input(i);
      if (!x || !y || !x->producer() || !y->producer() || matched_.contains(x)) continue;
      if (std::ranges::any_of(matched_, [y](const auto& each) { return each.second == y; })) continue;
      matched_[x] = y;
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
    found_.node = node.name().empty() && node.output(0) ? node.output(0)->name() : node.name();
    found_.op = node.op_type();
    found_.value = value.name();
    found_.why = std::move(why);
    if (other) {
      found_.other_node = other->name().empty() && other->output(0) ? other->output(0)->name() : other->name();
      found_.other_op = other->op_type();
    }
    return value;
  }

  // Breadth first, so that the shortest way to an output is shown.
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
  Recorder left_, right_;
  MatchedValues matched_;
  std::vector<const Value*> order_;
  std::unordered_map<const Value*, Seen> seen_;
  double epsilon_ = 0;
  Location found_;
};

}  // namespace

Location locate(const GivenModel& first, const GivenModel& second, const Engine& engine) {
  try {
    return Locator(first, second, engine).locate();
  } catch (const Error& error) {
    Location none;
    none.why = fmt::format("the inner values could not be had: {}", error.message());
    return none;
  }
}

}  // namespace onnxpress::tasks

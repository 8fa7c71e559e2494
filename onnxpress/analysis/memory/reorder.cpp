// Builds orders node by node. Only the set of nodes placed so far matters, because it determines what is alive.
#include "onnxpress/analysis/memory/reorder.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "onnxpress/analysis/captured_values.h"
#include "onnxpress/ops/core/in_place.h"

namespace onnxpress::analysis {

namespace {

constexpr std::size_t kMostSets = 200'000;       // sets of nodes that an exact search examines
constexpr std::size_t kBeam = 24;                // partial orders that a search of a large graph keeps
constexpr std::size_t kMostNodes = 20'000;       // larger graphs keep their order
constexpr std::uint64_t kMostMoves = 5'000'000;  // moves that a search of a large graph examines before it gives up
constexpr std::uint32_t kNone = ~std::uint32_t{0};

// A value, or several that share memory; alive from its producer until its last reader has run.
struct Block {
  std::uint64_t bytes = 0;
  std::uint32_t readers = 0;
  bool to_the_end = false;
};

struct Step {
  Node* node = nullptr;
  std::vector<std::uint32_t> reads;   // blocks, each once
  std::vector<std::uint32_t> makes;   // blocks
  std::vector<std::uint32_t> before;  // steps that must come first
  std::vector<std::uint32_t> after;
  std::uint64_t scratch = 0;  // memory that its bodies need while it runs
  bool in_place = false;      // its result may reuse the memory of an operand that is not needed any more
};

class Problem {
 public:
  Problem(const Facts& facts, const Graph& graph, const ActivationOptions& options) : facts_(facts), graph_(graph) {
    const ActivationMemory memory = activations_of(facts, graph, options);
    for (const Activation& each : memory.values) {
      if (each.value) bytes_[each.value] = &each;
    }
    for (Node& node : graph.nodes()) add(node);
    for (const Activation& each : memory.values) {
      if (!each.value) steps[step_of_.at(each.node)].scratch = each.bytes;
    }
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      std::ranges::sort(steps[i].before);
      steps[i].before.erase(std::unique(steps[i].before.begin(), steps[i].before.end()), steps[i].before.end());
      for (const std::uint32_t each : steps[i].before) steps[each].after.push_back(i);
    }
  }

  std::vector<Step> steps;
  std::vector<Block> blocks;

 private:
  void add(Node& node) {
    const auto number = static_cast<std::uint32_t>(steps.size());
    step_of_.emplace(&node, number);
    steps.push_back({.node = &node});
    Step& step = steps.back();
    for_each_value_read(node, [&](Value& value) { read(value, step); });
    const ops::Op* op = facts_.ops().op_of(node);
    step.in_place = op && ops::may_overwrite(*op) && !facts_.ops().function_of(node);
    for (Value* output : node.outputs()) {
      const auto found = output ? bytes_.find(output) : bytes_.end();
      if (found == bytes_.end()) continue;
      const auto source = node.input(0) ? block_of_.find(node.input(0)) : block_of_.end();
      if (found->second->is_view && source != block_of_.end()) {
        block_of_.emplace(output, source->second);
      } else {
        block_of_.emplace(output, static_cast<std::uint32_t>(blocks.size()));
        step.makes.push_back(static_cast<std::uint32_t>(blocks.size()));
        blocks.push_back({.bytes = found->second->bytes});
      }
      Block& block = blocks[block_of_.at(output)];
      block.to_the_end |= output->is_output();
    }
  }

  void read(const Value& value, Step& step) {
    const auto number = static_cast<std::uint32_t>(steps.size() - 1);
    if (value.producer() && value.producer()->graph() == &graph_) {
      const auto maker = step_of_.find(value.producer());
      if (maker != step_of_.end() && maker->second != number) step.before.push_back(maker->second);
    }
    const auto block = block_of_.find(&value);
    if (block == block_of_.end() || std::ranges::find(step.reads, block->second) != step.reads.end()) return;
    step.reads.push_back(block->second);
    ++blocks[block->second].readers;
  }

  const Facts& facts_;
  const Graph& graph_;
  std::unordered_map<const Value*, const Activation*> bytes_;
  std::unordered_map<const Value*, std::uint32_t> block_of_;
  std::unordered_map<const Node*, std::uint32_t> step_of_;
};

// The first steps of an order.
struct Beginning {
  std::vector<std::uint64_t> done;          // one bit per step
  std::vector<std::uint16_t> missing;       // for each step, how many of its predecessors are not done
  std::vector<std::uint16_t> readers_left;  // for each block
  std::vector<std::uint32_t> ready;
  std::uint64_t alive = 0, peak = 0;
  std::uint32_t last = kNone, entry = kNone;  // its last step, and the index of the earlier ones in the history
};

class Search {
 public:
  explicit Search(const Problem& problem) : problem_(problem) {}

  struct Cost {
    std::uint64_t peak = 0, alive = 0;
  };

  // The bytes alive while the step runs, and after it.
  Cost cost_of(const Beginning& from, std::uint32_t step) const {
    const Step& each = problem_.steps[step];
    std::uint64_t made = 0, freed = 0, reused = 0;
    for (const std::uint32_t block : each.makes) {
      made += problem_.blocks[block].bytes;
      if (problem_.blocks[block].readers == 0 && !problem_.blocks[block].to_the_end)
        freed += problem_.blocks[block].bytes;
    }
    for (const std::uint32_t block : each.reads) {
      const Block& read = problem_.blocks[block];
      if (from.readers_left[block] != 1 || read.to_the_end) continue;
      freed += read.bytes;
      if (each.in_place && reused == 0 && each.makes.size() == 1 && read.bytes == problem_.blocks[each.makes[0]].bytes)
        reused = read.bytes;
    }
    return {from.alive + made + each.scratch - reused, from.alive + made - freed};
  }

  void take(Beginning& state, std::uint32_t step, const Cost& cost) const {
    state.done[step / 64] |= std::uint64_t{1} << (step % 64);
    state.alive = cost.alive;
    state.peak = std::max(state.peak, cost.peak);
    state.last = step;
    for (const std::uint32_t block : problem_.steps[step].reads) --state.readers_left[block];
    std::erase(state.ready, step);
    for (const std::uint32_t next : problem_.steps[step].after) {
      if (--state.missing[next] == 0) state.ready.push_back(next);
    }
  }

  Beginning nothing() const {
    Beginning state;
    state.done.resize((problem_.steps.size() + 63) / 64);
    for (std::uint32_t i = 0; i < problem_.steps.size(); ++i) {
      state.missing.push_back(
          static_cast<std::uint16_t>(std::min<std::size_t>(problem_.steps[i].before.size(), 65535)));
      if (problem_.steps[i].before.empty()) state.ready.push_back(i);
    }
    for (const Block& block : problem_.blocks)
      state.readers_left.push_back(static_cast<std::uint16_t>(std::min<std::uint32_t>(block.readers, 65535)));
    return state;
  }

  std::uint64_t peak_of_present_order() const {
    Beginning state = nothing();
    for (std::uint32_t i = 0; i < problem_.steps.size(); ++i) take(state, i, cost_of(state, i));
    return state.peak;
  }

  // Expands the lowest peak first, so the first complete order is optimal. Empty when there are too many sets.
  std::vector<std::uint32_t> exact() {
    if (problem_.steps.size() > 64) return {};
    struct Entry {
      std::uint64_t peak, set;
      bool operator>(const Entry& other) const { return std::tie(peak, set) > std::tie(other.peak, other.set); }
    };
    struct Known {
      std::uint64_t peak;
      std::uint32_t step;
    };
    const std::uint64_t all =
        problem_.steps.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << problem_.steps.size()) - 1;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    std::unordered_map<std::uint64_t, Known> known;
    open.push({0, 0});
    known.emplace(0, Known{0, kNone});
    while (!open.empty()) {
      const Entry at = open.top();
      open.pop();
      if (at.peak > known.at(at.set).peak) continue;
      if (at.set == all) return order_behind(known, all);
      if (known.size() > kMostSets) return {};
      const Beginning state = state_of(at.set);
      for (const std::uint32_t step : state.ready) {
        const std::uint64_t next = at.set | std::uint64_t{1} << step,
                            peak = std::max(at.peak, cost_of(state, step).peak);
        const auto [found, is_new] = known.try_emplace(next, Known{peak, step});
        if (!is_new && found->second.peak <= peak) continue;
        found->second = {peak, step};
        open.push({peak, next});
      }
    }
    return {};
  }

  // Beam search: keeps the most promising partial orders of each length.
  std::vector<std::uint32_t> beam() {
    std::vector<Beginning> states = {nothing()};
    std::uint64_t looked_at = 0;
    for (std::size_t length = 0; length < problem_.steps.size(); ++length) {
      struct Move {
        std::size_t state;
        std::uint32_t step;
        Cost cost;
        std::uint64_t peak;
      };
      std::vector<Move> moves;
      for (std::size_t i = 0; i < states.size(); ++i) {
        for (const std::uint32_t step : states[i].ready) {
          const Cost cost = cost_of(states[i], step);
          moves.push_back({i, step, cost, std::max(states[i].peak, cost.peak)});
        }
      }
      looked_at += moves.size() + states.size() * problem_.blocks.size() / 64;  // copying a state costs, too
      if (moves.empty() || looked_at > kMostMoves) return {};                   // a cycle, or too many moves
      std::ranges::sort(moves, {},
                        [](const Move& move) { return std::tuple(move.peak, move.cost.alive, move.step, move.state); });
      std::vector<Beginning> next;
      std::map<std::vector<std::uint64_t>, bool> seen;
      for (const Move& move : moves) {
        if (next.size() == kBeam) break;
        std::vector<std::uint64_t> done = states[move.state].done;
        done[move.step / 64] |= std::uint64_t{1} << (move.step % 64);
        if (!seen.emplace(std::move(done), true).second) continue;
        Beginning made = states[move.state];
        take(made, move.step, move.cost);
        history_.push_back({move.step, states[move.state].entry});
        made.entry = static_cast<std::uint32_t>(history_.size() - 1);
        next.push_back(std::move(made));
      }
      states = std::move(next);
    }
    return order_of(*std::ranges::min_element(states, {}, &Beginning::peak));
  }

 private:
  template <typename Known>
  std::vector<std::uint32_t> order_behind(const Known& known, std::uint64_t set) const {
    std::vector<std::uint32_t> order;
    while (set != 0) {
      const std::uint32_t step = known.at(set).step;
      order.push_back(step);
      set &= ~(std::uint64_t{1} << step);
    }
    std::ranges::reverse(order);
    return order;
  }

  Beginning state_of(std::uint64_t set) const {
    Beginning state = nothing();
    for (std::uint32_t i = 0; i < problem_.steps.size(); ++i) {
      if (set >> i & 1) take(state, i, cost_of(state, i));
    }
    return state;
  }

  std::vector<std::uint32_t> order_of(const Beginning& state) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t at = state.entry; at != kNone; at = history_[at].before) order.push_back(history_[at].step);
    std::ranges::reverse(order);
    return order;
  }

  struct Past {
    std::uint32_t step, before;
  };

  const Problem& problem_;
  std::vector<Past> history_;
};

}  // namespace

NodeOrderFound order_with_lower_peak(const Facts& facts, const Graph& graph, const ActivationOptions& options) {
  if (graph.nodes().size() > kMostNodes) return {};
  const Problem problem(facts, graph, options);
  Search search(problem);
  NodeOrderFound found;
  std::vector<std::uint32_t> order = search.exact();
  found.is_optimal = !order.empty();
  if (order.empty()) order = search.beam();
  if (order.size() != problem.steps.size()) return {};
  Beginning state = search.nothing();
  for (const std::uint32_t step : order) search.take(state, step, search.cost_of(state, step));
  if (state.peak >= search.peak_of_present_order()) return {.is_optimal = found.is_optimal};
  for (const std::uint32_t step : order) found.nodes.push_back(problem.steps[step].node);
  return found;
}

}  // namespace onnxpress::analysis

// Takes nodes off the worklist, erases dead ones and tries the rewrites of their op.
#include "onnxpress/passes/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/listener.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/annotated_names.h"
#include "onnxpress/passes/whole/dead_nodes.h"
#include "onnxpress/passes/whole/large_constants.h"
#include "onnxpress/passes/worklist.h"

namespace onnxpress::passes {

namespace {

std::string title_of(const Node& node) {
  const std::string_view name = node.name().empty() && node.output() ? node.output()->name() : node.name();
  return fmt::format("{} {}", node.op_type(), name);
}

// Records which nodes are added and removed.
class NodeRecorder : public GraphListener {
 public:
  explicit NodeRecorder(const Model& model) : listening_(model, *this) {}

  void move_into(RewriteStep& step) {
    for (const Node* node : added_) {
      if (!node->erased()) step.added.push_back(title_of(*node));
    }
    step.removed.insert(step.removed.end(), removed_.begin(), removed_.end());
    clear();
  }
  void clear() {
    added_.clear();
    removed_.clear();
  }

 private:
  void node_created(Node& node) override { added_.push_back(&node); }
  void node_erased(Node& node) override {
    // A node that a rewrite added and erased again is not recorded at all.
    if (std::erase(added_, &node) == 0) removed_.push_back(title_of(node));
  }

  std::vector<const Node*> added_;
  std::vector<std::string> removed_;
  const Listening listening_;
};

class Driver {
 public:
  Driver(Model& model, const analysis::Facts& facts, const DriverOptions& options)
      : model_(model), options_(options), rewriter_(model, facts), worklist_(model) {
    for (const Rewrite* each : options.rewrites) {
      if (is_chosen(each->name, each->exactness)) rewrites_.push_back(each);
    }
    for (const WholeGraphPass* each : options.whole_graph) {
      if (is_chosen(each->name, each->exactness)) whole_graph_.push_back(each);
    }
    if (options.least_exact == Exactness::kExact) rewriter_.leave_floats_to_the_runtime();
    if (options.fold_limit) rewriter_.limit_folding(*options.fold_limit);
    if (options.records_nodes) recorder_.emplace(model);
    most_ = options.most_rewrites.value_or(std::size_t{10} * model.context().node_count + 1000);
    for_each_graph(model, [this](const Graph& graph) { add_annotated_names(graph, annotated_); });
  }

  DriverReport run() {
    if (options_.growth > 0 && !compute_large_constants()) return std::move(report_);
    while (!is_done()) {
      Node* node = worklist_.take();
      if (!node && !begin_round()) break;
      if (!node) continue;
      if (node->used_outputs() == 0) {
        erase_dead(*node);
        continue;
      }
      for (const Rewrite* rewrite : rewrites_for(*node)) {
        if (only_large_patterns_ && !rewrite->large_pattern) continue;
        if (!try_at(*rewrite, *node)) continue;
        only_large_patterns_ = false;
        break;  // everything that changed is in the worklist again
      }
    }
    if (report_.steps.size() >= most_) report_.looping = most_applied();
    remove_left_constants();
    return std::move(report_);
  }

  std::vector<Refusal> refusals_at(Node& node) {
    std::vector<Refusal> found;
    if (!rewriter_.op_of(node)) return found;
    rewriter_.note_refusals();
    for (const Rewrite* rewrite : rewrites_for(node)) {
      rewriter_.begin(node);
      if (rewrite->apply(node, rewriter_)) break;  // a rewrite did still apply
      rewriter_.undo_unused();
      found.push_back({rewrite->name, rewriter_.take_refusals()});
    }
    return found;
  }

 private:
  bool is_done() const { return report_.steps.size() >= std::min(most_, options_.stop_after.value_or(most_)); }

  bool is_chosen(std::string_view name, Exactness exactness) const {
    return exactness <= options_.least_exact && std::ranges::find(options_.without, name) == options_.without.end();
  }

  // Runs when the worklist is empty. A change brings back the nodes around it, but large patterns reach further, so the
  // rewrites that look for those are tried on all nodes again, until that changes nothing.
  bool begin_round() {
    const std::size_t done = report_.steps.size() + report_.dead_nodes;
    if (done == done_before_round_) return false;
    if (apply_whole_graph()) return true;
    if (done == 0) return false;
    done_before_round_ = done;
    only_large_patterns_ = true;
    worklist_.add_all(model_);
    return true;
  }

  // See DriverOptions::growth. False if nothing changed.
  bool compute_large_constants() {
    const auto fold = std::ranges::find(rewrites_, "fold-constants", &Rewrite::name);
    if (fold == rewrites_.end()) return false;
    worklist_.forget_since(0, model_.context().node_count);  // only what changes from here on is tried again
    LargeConstants large(rewriter_);
    std::uint64_t room = options_.growth;
    while (!is_done()) {
      const LargeConstants::Candidate best = large.next(room);
      if (!best.node) break;
      rewriter_.allow_growth(best.growth);
      if (try_at(**fold, *best.node))
        room -= best.growth;
      else
        large.skip(best);
    }
    rewriter_.allow_growth(0);
    return report_.changed();
  }

  // Passes that need to see the whole model. A change may enable local rewrites, so those continue after it.
  bool apply_whole_graph() {
    for (const WholeGraphPass* pass : whole_graph_) {
      const std::size_t changes = pass->apply(rewriter_);
      if (changes == 0) continue;
      report_.counts[pass->name] += changes;
      add_step({pass->name, {}, {}, fmt::format("{} times", changes), {}, {}});
      return true;
    }
    return false;
  }

  void erase_dead(Node& node) {
    if (node.output_count() == 0 || !only_computes(node, rewriter_.ops())) return;
    node.graph()->erase(node);
    ++report_.dead_nodes;
    if (!recorder_) return;
    if (report_.steps.empty()) {
      recorder_->clear();
    } else {
      recorder_->move_into(report_.steps.back());
    }
  }

  void add_step(RewriteStep step) {
    if (recorder_) recorder_->move_into(step);
    report_.steps.push_back(std::move(step));
    if (options_.after_step) options_.after_step(report_.steps.back());
  }

  // The rewrites for the op of the node, looked up once per op.
  const std::vector<const Rewrite*>& rewrites_for(const Node& node) {
    if (node.op_id() >= by_op_.size()) by_op_.resize(model_.context().op_names.size());
    auto& found = by_op_[node.op_id()];
    if (!found) {
      found.emplace();
      const OpName& op = model_.context().op_names[node.op_id()];
      const std::string name =
          op.domain.empty() ? std::string(op.type) : std::string(op.domain) + "." + std::string(op.type);
      for (const Rewrite* each : rewrites_) {
        if (each->roots.empty() || std::ranges::find(each->roots, name) != each->roots.end()) found->push_back(each);
      }
    }
    return *found;
  }

  bool try_at(const Rewrite& rewrite, Node& node) {
    if (!rewriter_.op_of(node)) return false;
    RewriteStep step{rewrite.name, std::string(node.name()), node.op_type(), {}, {}, {}};
    if (step.node.empty() && node.output()) step.node = node.output()->name();
    rewriter_.begin(node);
    const std::size_t waiting = worklist_.size();
    const std::uint32_t nodes = model_.context().node_count;
    const bool changed = rewrite.apply(node, rewriter_);
    rewriter_.undo_unused();
    if (!changed) {
      worklist_.forget_since(waiting, nodes);
      return false;
    }
    step.text = rewriter_.take_note();
    ++report_.counts[rewrite.name];
    add_step(std::move(step));
    return true;
  }

  std::string_view most_applied() const {
    const auto most = std::ranges::max_element(report_.counts, {}, [](const auto& each) { return each.second; });
    return most == report_.counts.end() ? std::string_view() : most->first;
  }

  // Removes all at once, because removing initializers one by one would cost a walk over the graph's list each time.
  void remove_left_constants() {
    std::map<std::uint32_t, std::pair<Graph*, std::vector<Value*>>> initializers;  // by the first value's id
    std::map<const Graph*, std::uint32_t> groups;
    for (Value* value : worklist_.take_left_constants()) {
      if (value->is_used() || !constant_tensor(*value) || annotated_.contains(value->name())) continue;
      ++report_.dead_constants;
      if (Node* node = value->producer()) {
        node->graph()->erase(*node);
        continue;
      }
      const auto [group, is_new] = groups.emplace(value->graph(), value->id());
      auto& [graph, values] = initializers[group->second];
      graph = value->graph();
      values.push_back(value);
    }
    for (auto& [id, group] : initializers) group.first->remove_initializers(group.second);
  }

  Model& model_;
  const DriverOptions& options_;
  Rewriter rewriter_;
  Worklist worklist_;
  std::optional<NodeRecorder> recorder_;
  std::vector<const Rewrite*> rewrites_;
  std::vector<const WholeGraphPass*> whole_graph_;
  std::vector<std::optional<std::vector<const Rewrite*>>> by_op_;  // by Node::op_id()
  std::unordered_set<std::string_view> annotated_;                 // names in quantization annotations
  std::size_t most_ = 0;
  std::size_t done_before_round_ = std::numeric_limits<std::size_t>::max();
  bool only_large_patterns_ = false;  // in a round over all nodes that has changed nothing so far
  DriverReport report_;
};

}  // namespace

DriverReport apply_rewrites(Model& model, const analysis::Facts& facts, const DriverOptions& options) {
  return model.training.empty() ? Driver(model, facts, options).run() : DriverReport();
}

bool has_large_constants(Model& model, const analysis::Facts& facts) {
  Rewriter rewriter(model, facts);
  return !LargeConstants(rewriter).empty();
}

std::vector<Refusal> refusals_at(Model& model, const analysis::Facts& facts, Node& node, const DriverOptions& options) {
  return Driver(model, facts, options).refusals_at(node);
}

DriverReport apply_rewrites(Model& model, const DriverOptions& options) {
  analysis::Facts facts(model);
  facts.follow();
  return apply_rewrites(model, facts, options);
}

}  // namespace onnxpress::passes

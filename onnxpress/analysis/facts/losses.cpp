// Follows unknown values back to the first node that computed an unknown value from known ones.
#include "onnxpress/analysis/facts/losses.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

class LossFinder {
 public:
  LossFinder(const Facts& facts, const Model& model, const ops::ShapeRules* rules)
      : facts_(facts), rules_(rules), cause_(model.context().value_count, kNone) {}

  std::vector<Loss> find(const Graph& graph) {
    for (const ValueInfo* input : graph.inputs()) {
      if (!facts_.is_complete(*input->value))
        lose(nullptr, *input->value, "the file does not state the shape of this input");
    }
    look_at(graph);
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void lose(const Node* node, const Value& value, std::string why) {
    cause_[value.id()] = found_.size();
    found_.push_back({node, &value, std::move(why)});
  }

  void look_at(const Graph& graph) {
    for (const Node& node : graph.nodes()) look_at(node);
  }

  void look_at(const Node& node) {
    std::size_t cause = kNone;
    const auto blame = [&](const Value* value) {
      if (cause == kNone && value && !facts_.is_complete(*value)) cause = cause_[value->id()];
    };
    for (const Use& use : node.inputs()) blame(use.value());
    for (const Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&](Graph& body) {
        look_at(body);
        for (const ValueInfo* output : body.outputs()) blame(output->value);
      });
    }
    for (const Value* output : node.outputs()) {
      if (!output || facts_.is_complete(*output)) continue;
      if (cause == kNone) {
        lose(&node, *output, why_lost(node, *output));
        cause = cause_[output->id()];
      } else {
        cause_[output->id()] = cause;
        ++found_[cause].values;
      }
    }
  }

  std::string why_lost(const Node& node, const Value& output) const {
    const std::string name = fmt::format("{}{}{}", node.domain().empty() ? "" : plain_or_quoted(node.domain()),
                                         node.domain().empty() ? "" : ".", plain_or_quoted(node.op_type()));
    if (facts_.ops().function_of(node)) return fmt::format("the function {} does not define it", name);
    const ops::Op* op = facts_.ops().op_of(node);
    if (!op && rules_ && rules_->has_rule(node)) return fmt::format("the operands of {} do not match its rule", name);
    if (!op) return fmt::format("{} is not a known op", name);
    if (!op->def || !op->def->infer) return fmt::format("the shape of {} is not inferred", name);
    if (auto ranks = branch_ranks(node, output); !ranks.empty()) return ranks;
    const char* what = facts_.of(output).shape ? "a dim" : "the rank";
    return fmt::format("{} of the result of {} depends on values that are known only at run time", what, name);
  }

  // "the branches of the If have results with 2 and 3 dims"; empty when that is not the reason.
  std::string branch_ranks(const Node& node, const Value& output) const {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) != &output) continue;
      for (const Attribute* attribute : node.attributes()) {
        for_each_graph_in(*attribute, [&](Graph& body) {
          if (i >= body.outputs().size()) return;
          const ops::Fact& fact = facts_.of(*body.outputs()[i]->value);
          if (fact.shape) ranks.push_back(fact.rank());
        });
      }
    }
    if (node.op_type() != "If" || ranks.size() != 2 || ranks[0] == ranks[1]) return {};
    return fmt::format("the branches of the If have results with {} and {} dims", std::min(ranks[0], ranks[1]),
                       std::max(ranks[0], ranks[1]));
  }

  const Facts& facts_;
  const ops::ShapeRules* rules_;
  std::vector<std::size_t> cause_;  // by value id: index of the loss that caused it
  std::vector<Loss> found_;
};

}  // namespace

std::vector<Loss> losses_of(const Facts& facts, const Model& model, const ops::ShapeRules* rules) {
  return LossFinder(facts, model, rules).find(model.graph());
}

}  // namespace onnxpress::analysis

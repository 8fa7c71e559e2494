// One walk in node order finds the constants; evaluation walks back from the requested value.
#include "onnxpress/compare/constants.h"

#include <algorithm>
#include <unordered_map>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::compare {

Constants::Constants(const Model& model) : model_(model), ops_(model), constant_(model.context().value_count, false) {
  find(model.graph());
  for (const Function* function : model.functions) find(*function->body);
}

// A Constant with several attributes is malformed, and is compared like any other node.
bool Constants::is_plain(const Node& node) const {
  return node.is("Constant") && node.output_count() == 1 && node.output() && node.attributes().size() == 1 &&
         !node.attributes().front()->is_reference() && !ops_.function_of(node);
}

bool Constants::is_link(const Node& node) const {
  // DequantizeLinear is written by shrink for runtimes that decode weights themselves; expand leaves it as it is.
  const bool decodes = weights::is_chain_op(node) || node.is("DequantizeLinear");
  if (!decodes || node.input_count() == 0 || node.output_count() != 1 || !node.output()) return false;
  if (ops_.function_of(node) || !ops_.op_of(node)) return false;
  return std::ranges::all_of(node.inputs(),
                             [this](const Use& use) { return !use.value() || contains(*use.value()); }) &&
         std::ranges::none_of(node.attributes(), [](const Attribute* each) { return each->is_reference(); });
}

void Constants::find(const Graph& graph) {
  for (const Value* value : graph.initializers()) {
    if (!value->is_input()) constant_[value->id()] = true;
  }
  for (const Node& node : graph.nodes()) {
    if (is_plain(node) || is_link(node)) constant_[node.output()->id()] = true;
    for (const Attribute* attribute : node.attributes())
      for_each_graph_in(*attribute, [this](const Graph& body) { find(body); });
  }
}

bool Constants::is_constant_node(const Node& node) const { return node.output() && contains(*node.output()); }

const Node* Constants::link_of(const Value& value) const {
  if (!contains(value) || value.initializer() || !value.producer()) return nullptr;
  return is_plain(*value.producer()) ? nullptr : value.producer();
}

namespace {

// Walks backwards without recursion, because files can have chains of any length.
class ChainEvaluator {
 public:
  explicit ChainEvaluator(const Constants& constants) : constants_(constants) {}

  std::optional<ops::Array> evaluate(const Value& value) {
    std::vector<const Value*> open = {&value};
    while (!open.empty()) {
      const Value* next = open.back();
      if (known_.contains(next)) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      if (const Node* link = constants_.link_of(*next)) {
        for (const Use& use : link->inputs()) {
          if (use.value() && !known_.contains(use.value())) open.push_back(use.value());
        }
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (!compute(*next)) return std::nullopt;
    }
    const ops::Array* array = known_.at(&value).array();
    return array ? std::optional(*array) : std::nullopt;
  }

 private:
  bool compute(const Value& value) {
    if (const Tensor* tensor = constants_.link_of(value) ? nullptr : constant_tensor(value)) {
      known_[&value] = ops::Array::from(*tensor);
      return true;
    }
    const Node& node = *value.producer();
    std::vector<const ops::Datum*> operands;
    for (const Use& use : node.inputs()) operands.push_back(use.value() ? &known_.at(use.value()) : nullptr);
    const ops::Op* op = constants_.ops().op_of(node);
    auto results = op ? analysis::evaluate_node(node, *op, operands, nullptr, meter_) : std::nullopt;
    if (!results || results->size() != 1) return false;
    known_[&value] = std::move(results->front());
    // Drops values that nothing else reads, so that codes are freed before the floats are scaled.
    for (const Use& use : node.inputs()) {
      if (use.value() && !use.value()->first_use()->next()) known_.erase(use.value());
    }
    return true;
  }

  const Constants& constants_;
  std::unordered_map<const Value*, ops::Datum> known_;
  // Limits hostile chains, which may double the data at each step. The largest of ours need a result of 1 GiB, the
  // codes, and one array in between.
  ops::EvaluationMeter meter_{{.live_bytes = std::uint64_t{3} << 30, .steps = 1'000'000'000'000}};
};

}  // namespace

std::optional<ops::Array> Constants::evaluate(const Value& value) const {
  return ChainEvaluator(*this).evaluate(value);
}

}  // namespace onnxpress::compare

// One walk in node order: nodes that read only constants are evaluated, and results that other nodes need become
// initializers.
#include "onnxpress/weights/chain/expand_chains.h"

#include <unordered_map>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/target.h"

namespace onnxpress::weights {

namespace {

class Expander {
 public:
  explicit Expander(Model& model) : model_(model), ops_(model) {}

  Expanded expand() {
    find_links();
    for (Node* node : links_) evaluate(*node);
    replace_ends();
    remove_inner();
    return done_;
  }

 private:
  bool is_constant(const Value& value) const {
    return value.constant() || constants_.contains(&value) ||
           (value.producer() && value.producer()->is("Constant") && value.producer()->graph() == &model_.graph());
  }

  // Nodes of chains, in order; a later one may read an earlier one.
  void find_links() {
    for (Node& node : model_.graph().nodes()) {
      if (!is_chain_op(node) || node.input_count() == 0 || node.output_count() != 1 || !node.output()) continue;
      if (ops_.function_of(node) || !ops_.op_of(node)) continue;
      bool constant = true;
      for (const Use& use : node.inputs()) constant &= !use.value() || is_constant(*use.value());
      if (!constant) continue;
      links_.push_back(&node);
      constants_.emplace(node.output(), ops::Datum());
    }
  }

  // Null if it could not be evaluated.
  const ops::Datum* datum(const Value& value) {
    if (const auto found = constants_.find(&value); found != constants_.end()) {
      const ops::Array* array = found->second.array();
      return array && array->type() != ElementType::kUndefined ? &found->second : nullptr;
    }
    ops::Datum read;
    if (const Tensor* tensor = value.constant()) {
      read = ops::Array::from(*tensor);
    } else if (const ops::Op* op = ops_.op_of(*value.producer())) {
      const auto results = analysis::evaluate_node(*value.producer(), *op, {}, nullptr, meter_);
      if (results && results->size() == 1) read = results->front();
    }
    if (!read.array()) return nullptr;
    return &sources_.insert_or_assign(&value, std::move(read)).first->second;
  }

  void evaluate(Node& node) {
    sources_.clear();  // plain constants are read where needed, not kept
    std::vector<const ops::Datum*> operands;
    try {
      for (const Use& use : node.inputs()) {
        operands.push_back(use.value() ? datum(*use.value()) : nullptr);
        if (use.value() && !operands.back()) return;
      }
    } catch (const Error&) {
      return;
    }
    const auto results = analysis::evaluate_node(node, *ops_.op_of(node), operands, nullptr, meter_);
    if (!results || results->empty() || !results->front().array()) return;
    const ops::Array& array = *results->front().array();
    if (!array.is_string() && array.count() * array.width() > kMostFoldedBytes) return;
    constants_[node.output()] = results->front();
    drop_finished(node);
  }

  // Drops results that only this node reads, unless they are outputs of the model.
  void drop_finished(const Node& node) {
    for (const Use& use : node.inputs()) {
      const Value* value = use.value();
      const auto found = value ? constants_.find(value) : constants_.end();
      if (found != constants_.end() && value->use_count() == 1 && !value->is_output()) found->second = ops::Array();
    }
  }

  // Walks backwards, so that a link is looked at after all links that read it have been removed.
  void replace_ends() {
    Graph& graph = model_.graph();
    for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
      Node& node = **link;
      Value* value = node.output();
      const ops::Datum* result = datum(*value);
      const bool needed = value->first_use() || value->is_output();
      if (needed && !result) continue;  // could not be evaluated: stays a node
      for (const Use& use : node.inputs()) {
        if (use.value()) maybe_unused_.push_back(use.value());
      }
      Node* position = node.next();
      graph.erase(node);
      ++done_.nodes;
      if (!needed) continue;
      Tensor* tensor = result->array()->to_tensor(model_.arena(), value->name());
      define_constant(model_, *value, position, tensor);
      ++done_.tensors;
      done_.bytes += tensor->stored_bytes();
    }
  }

  void remove_inner() {
    std::vector<Value*> unused;
    for (Value* value : maybe_unused_) {
      if (value->first_use() || value->is_output() || value->is_input() || value->graph() != &model_.graph()) continue;
      if (value->initializer()) {
        unused.push_back(value);
      } else if (value->producer() && value->producer()->is("Constant")) {
        model_.graph().erase(*value->producer());
      }
    }
    model_.graph().remove_initializers(unused);
  }

  Model& model_;
  analysis::OpResolver ops_;
  std::vector<Node*> links_;
  std::unordered_map<const Value*, ops::Datum> constants_;  // results of links; empty: not evaluated
  std::unordered_map<const Value*, ops::Datum> sources_;
  std::vector<Value*> maybe_unused_;
  ops::EvaluationMeter meter_;
  Expanded done_;
};

}  // namespace

Expanded expand_chains(Model& model) { return Expander(model).expand(); }

}  // namespace onnxpress::weights

// Sets the new outputs, removes dead nodes, and only then the inputs, so that an input is required only if it is really
// needed.
#include "onnxpress/passes/whole/cut_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/remove_outputs.h"
#include "onnxpress/passes/whole/remove_dead.h"

namespace onnxpress::passes {

namespace {

class Cutter {
 public:
  Cutter(Model& model, const analysis::Facts& facts) : model_(model), graph_(model.graph()), facts_(facts) {
    for (const ValueInfo* input : graph_.inputs()) values_.emplace(input->value->name(), input->value);
    for (Value* value : graph_.initializers()) values_.emplace(value->name(), value);
    for (const Node& node : graph_.nodes()) {
      for (Value* output : node.outputs()) {
        if (output) values_.emplace(output->name(), output);
      }
    }
  }

  void cut(std::span<const std::string> inputs, std::span<const std::string> outputs) {
    std::vector<Value*> first, last;
    for (const std::string& name : inputs) first.push_back(named(name, first));
    for (const std::string& name : outputs) last.push_back(named(name, last));
    std::vector<const Type*> types;  // before the graph changes
    types.reserve(first.size());
    for (const Value* value : first) types.push_back(type_of(*value));
    if (!last.empty()) put_out(last);
    if (first.empty()) {
      remove_dead(model_);
      drop_unread_inputs();
      return;
    }
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = made_input(*first[i], types[i]);
    remove_dead(model_);
    require_inputs(first);
  }

 private:
  Value* named(const std::string& name, const std::vector<Value*>& before) const {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      std::vector<std::string> known;
      for (const auto& [each, value] : values_) known.emplace_back(each);
      std::ranges::sort(known);
      const std::string guess = nearest(name, known);
      throw Error(
          "", fmt::format("the main graph has no value {}", quote_name(name)),
          guess.empty() ? "'infer' lists them with option `all`" : fmt::format("did you mean {}?", quote_name(guess)));
    }
    if (std::ranges::find(before, found->second) != before.end())
      throw Error("", fmt::format("{} is named twice", quote_name(name)));
    return found->second;
  }

  const Type* type_of(const Value& value) const {
    if (value.type()) return value.type();
    const ops::Fact& fact = facts_.of(value);
    if (!fact.is_tensor() || fact.element == ElementType::kUndefined) return nullptr;
    const auto shape = facts_.shape_of(value);
    if (shape) return make_tensor_type(model_.arena(), fact.element, std::span<const Dim>(*shape));
    Type* type = model_.arena().make<Type>(*make_tensor_type(model_.arena(), fact.element, std::span<const Dim>()));
    type->has_shape = false;
    return type;
  }

  // Outputs that stay keep their declarations.
  void put_out(const std::vector<Value*>& values) {
    std::unordered_map<Value*, const Type*> declared;
    for (const ValueInfo* output : graph_.outputs()) declared.emplace(output->value, output->type);
    std::vector<const Type*> types;
    for (Value* value : values) {
      const auto found = declared.find(value);
      types.push_back(found == declared.end() ? type_of(*value) : found->second);
    }
    remove_outputs(graph_);
    for (std::size_t i = 0; i < values.size(); ++i) graph_.add_output(values[i], types[i]);
    // ONNX Runtime needs the type of every result, even of one that is now unused, and cannot infer it for some of its
    // own ops.
    for (const auto& [value, type] : declared) {
      if (type && value->producer() && !value->is_used()) graph_.add_value_info(value, type);
    }
  }

  // Makes an input of the same name that replaces a value that a node computed.
  Value* made_input(Value& value, const Type* type) {
    if (value.is_input()) return &value;
    if (!type)
      throw Error("", fmt::format("the type of {} is not known, so it cannot be an input", quote_name(value.name())));
    const std::string_view name = value.name();
    graph_.rename(value, {});
    Value* input = graph_.create_value(name, type);
    graph_.add_input(input, type);
    graph_.replace_all_uses(&value, input);
    return input;
  }

  void drop_unread_inputs() {
    std::vector<Value*> unread;
    for (const ValueInfo* input : graph_.inputs()) {
      if (!input->value->is_used()) unread.push_back(input->value);
    }
    remove(unread);
  }

  // Checks that no other input is needed, and removes inputs that are now unused.
  void require_inputs(const std::vector<Value*>& named) {
    std::vector<Value*> others;
    for (const ValueInfo* input : graph_.inputs()) {
      Value* value = input->value;
      if (std::ranges::find(named, value) != named.end()) continue;
      const bool has_default = value->initializer() || value->sparse_initializer();
      if (value->is_used() && !has_default) {
        throw Error("", fmt::format("the outputs also need input {}", quote_name(value->name())),
                    "add it to the inputs, or cut after it");
      }
      if (!value->is_used()) others.push_back(value);
    }
    remove(others);
  }

  void remove(std::vector<Value*>& values) {
    std::vector<Value*> constants;
    for (Value* value : values) {
      if (value->initializer()) constants.push_back(value);
    }
    graph_.remove_inputs(values);
    graph_.remove_initializers(constants);
  }

  Model& model_;
  Graph& graph_;
  const analysis::Facts& facts_;
  std::unordered_map<std::string_view, Value*> values_;
};

}  // namespace

void cut_graph(Model& model, const analysis::Facts& facts, std::span<const std::string> inputs,
               std::span<const std::string> outputs) {
  if (inputs.empty() && outputs.empty()) return;
  if (!model.training.empty()) throw Error("", "a model with training graphs cannot be cut");
  Cutter(model, facts).cut(inputs, outputs);
}

}  // namespace onnxpress::passes

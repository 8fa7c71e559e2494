// The building blocks of generators: types, weights, small constants and nodes, one line each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/generate/generate.h"

namespace onnxpress {

class ModelBuilder {
 public:
  using Values = std::initializer_list<Value*>;
  using Attributes = std::initializer_list<Attribute*>;

  ModelBuilder(Model& model, const GenerateOptions& options)
      : model_(model), options_(options), graph_(&model.graph()) {}

  Model& model() { return model_; }
  const GenerateOptions& options() const { return options_; }
  std::string_view text(std::string_view text) { return model_.arena().text(text); }

  // The graph that the calls below add to.
  Graph& graph() { return *graph_; }
  void enter(Graph& graph) { graph_ = &graph; }

  const Type* type(ElementType element, std::span<const Dim> dims);
  const Type* type(std::span<const Dim> dims) { return type(options_.type, dims); }
  Dim symbol(std::string_view name) { return Dim::symbol(model_.context().symbol(name)); }

  Value* input(std::string_view name, const Type* type);
  void output(Value* value, const Type* type) { graph_->add_output(value, type); }
  // An initializer filled as the options say. Equal `content` and dims give equal bytes; the default for `content` is
  // the name.
  Value* weight(std::string_view name, std::span<const std::int64_t> dims, std::string_view content = {});
  // Small initializers with given content, in the model's type or int64.
  Value* number(std::string_view name, double value);
  Value* floats(std::string_view name, std::span<const double> values);  // always in 32 bits
  Value* integers(std::string_view name, std::span<const std::int64_t> values);
  Value* integer(std::string_view name, std::int64_t value);
  // An int64 initializer for nodes that need a shape or a list of axes; equal lists of a graph share one.
  Value* shape(std::span<const std::int64_t> values);
  Value* shape(std::initializer_list<std::int64_t> values) { return shape(std::span(values.begin(), values.size())); }
  // A filled tensor that is not an initializer yet, for Constant nodes.
  Tensor* filled(std::span<const std::int64_t> dims, std::string_view content);

  Attribute* attribute(std::string_view name, Attribute::Value value);
  Attribute* ints(std::string_view name, std::initializer_list<std::int64_t> values);

  // A node named `name` with one output, named `result` or, if that is empty, `name` followed by `_output`.
  Value* node(std::string_view op_type, std::string_view name, std::span<Value* const> inputs,
              Attributes attributes = {}, std::string_view result = {}, std::string_view domain = {});
  Value* node(std::string_view op_type, std::string_view name, Values inputs, Attributes attributes = {},
              std::string_view result = {}, std::string_view domain = {}) {
    return node(op_type, name, std::span(inputs.begin(), inputs.size()), attributes, result, domain);
  }
  // A node with several outputs, of the given names.
  std::vector<Value*> nodes(std::string_view op_type, std::string_view name, std::span<Value* const> inputs,
                            std::span<Attribute* const> attributes, std::span<const std::string> results);

 private:
  Value* initializer(std::string_view name, ElementType element, std::span<const std::int64_t> dims, std::string bytes);

  Model& model_;
  const GenerateOptions& options_;
  Graph* graph_;
  std::map<std::pair<Graph*, std::vector<std::int64_t>>, Value*> shapes_;
};

// A model without nodes, for the opset of the options.
Model empty_model(const GenerateOptions& options, std::string_view graph_name);

// One per kind: fills the main graph of an empty model.
void build_chain(ModelBuilder& builder);
void build_transformer(ModelBuilder& builder);
void build_weights(ModelBuilder& builder);
void build_subgraphs(ModelBuilder& builder);
void build_wide(ModelBuilder& builder);
void build_constants(ModelBuilder& builder);
void build_functions(ModelBuilder& builder);
void build_masks(ModelBuilder& builder);
void build_indices(ModelBuilder& builder);
void build_swin(ModelBuilder& builder);
void build_tied(ModelBuilder& builder);

}  // namespace onnxpress

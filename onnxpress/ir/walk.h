// Visits every graph, node and tensor of a model: main graph, bodies at any depth, functions and training graphs.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Visits `graph` itself, then the bodies of its nodes, outer before inner.
template <typename Visit>
void for_each_graph(Graph& graph, Visit&& visit) {
  visit(graph);
  for (Node& node : graph.nodes()) {
    for (Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&visit](Graph& body) { for_each_graph(body, visit); });
    }
  }
}

template <typename Visit>
void for_each_graph(const Model& model, Visit&& visit) {
  for_each_graph(model.graph(), visit);
  for (Function* function : model.functions) for_each_graph(*function->body, visit);
  for (TrainingInfo* training : model.training) {
    for (Graph* graph : {training->initialization, training->algorithm}) {
      if (graph) for_each_graph(*graph, visit);
    }
  }
}

template <typename Visit>
void for_each_node(const Model& model, Visit&& visit) {
  for_each_graph(model, [&visit](Graph& graph) {
    for (Node& node : graph.nodes()) visit(node);
  });
}

// The place of a tensor: an initializer (or part of a sparse one) of `graph`, or in attribute `attribute` of `node`.
struct TensorPlace {
  Graph* graph = nullptr;
  Value* value = nullptr;  // initializers
  Node* node = nullptr;    // attributes
  Attribute* attribute = nullptr;
  bool sparse = false;
};

// Calls `visit(Tensor&, const TensorPlace&)` for each initializer, sparse initializer part and attribute tensor.
// Default values of function attributes belong to no node and are not visited.
template <typename Visit>
void for_each_tensor(const Model& model, Visit&& visit) {
  for_each_graph(model, [&visit](Graph& graph) {
    for (Value* value : graph.initializers())
      visit(*value->initializer(), TensorPlace{&graph, value, nullptr, nullptr, false});
    for (Value* value : graph.sparse_initializers()) {
      const SparseTensor& sparse = *value->sparse_initializer();
      for (Tensor* part : {sparse.values, sparse.indices}) {
        if (part) visit(*part, TensorPlace{&graph, value, nullptr, nullptr, true});
      }
    }
    for (Node& node : graph.nodes()) {
      for (Attribute* attribute : node.attributes()) {
        const AttributeType type = type_of(attribute->value);
        const bool is_sparse = type == AttributeType::kSparseTensor || type == AttributeType::kSparseTensors;
        for_each_tensor_in(*attribute, [&](Tensor& tensor) {
          visit(tensor, TensorPlace{&graph, nullptr, &node, attribute, is_sparse});
        });
      }
    }
  });
}

}  // namespace onnxpress

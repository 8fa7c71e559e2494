// The parsed text, before names become values: a body may use a name that is defined further down, outside the body.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::text {

// Texts are views of the source or of the arena; build_model() copies those that stay.
struct GraphSyntax;

// The `#@` comments before an element. A null place means that there are none.
struct Annotations {
  const char* place = nullptr;
  std::string_view doc, denotation, name;
  std::vector<MetadataEntry> metadata, tensor_names;
  std::vector<std::string_view> dim_denotations;
  std::vector<QuantizationAnnotation> quantization;
  std::vector<std::string_view> device_configurations;
};

// "float[2] x": an input, output or value_info.
struct DeclarationSyntax {
  std::string_view name;
  const Type* type = nullptr;
  Annotations annotations;
};

struct InitializerSyntax {
  std::string_view name;
  Tensor* tensor = nullptr;  // one of the two
  SparseTensor* sparse = nullptr;
};

struct AttributeSyntax {
  Attribute* attribute = nullptr;                    // complete except for bodies
  std::vector<std::unique_ptr<GraphSyntax>> bodies;  // its value, if it is a graph or a list of graphs
};

struct NodeSyntax {
  std::string_view name, op_type, domain, overload;
  std::vector<std::string_view> outputs, inputs;  // empty: omitted
  std::vector<AttributeSyntax> attributes;
  Annotations annotations;
};

struct GraphSyntax {
  std::string_view name;
  std::vector<DeclarationSyntax> inputs, outputs, value_infos;
  std::vector<InitializerSyntax> initializers;
  std::vector<NodeSyntax> nodes;
  Annotations annotations;
};

struct FunctionSyntax {
  std::string_view name, domain, overload, doc;
  std::vector<OpsetImport> opsets;
  std::vector<std::string_view> attribute_names;
  std::vector<AttributeSyntax> attribute_defaults;
  GraphSyntax body;  // types of inputs and outputs are in value_infos
  Annotations annotations;
};

}  // namespace onnxpress::text

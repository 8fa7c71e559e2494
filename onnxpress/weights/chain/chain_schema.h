// Do the nodes of a chain fit the schemas of the opset that they are written for?
#pragma once

#include <functional>

#include "onnxpress/ops/core/op.h"
#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::weights {

// A model that contains nothing but the chain, in the opset of the candidate. The tensor is its only output.
Model model_of(const Chain& chain, const Candidate& candidate);

// Does the op exist and take these attributes, and operands and results of these types?
using TypeOf = std::function<ElementType(const Value& value)>;
bool fits_schema(const Node& node, const ops::Op* op, const TypeOf& type_of);

// Can the main graph have a new constant of this type? Before version 4 of the format it is a node, and Constant had
// only floats at first.
bool allows_constant(const Model& model, ElementType type);

// Is a model valid with this chain in it? Nothing is decoded; types are inferred. `in_function`: the chain is for the
// body of a function, where constants are nodes. An op of a function must have the same version in the opset of the
// model, because the onnx package refuses other functions.
bool fits_opset(const Chain& chain, const Candidate& candidate, bool in_function);

}  // namespace onnxpress::weights

// Draft: a node while it is converted to another opset, and what each change between versions does to it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/ops/schema/opset_changes.h"
#include "onnxpress/passes/parameter.h"

namespace onnxpress::passes {

// A node that cannot be converted.
struct Obstacle {
  std::string why;
};

// A node during conversion: its parts are changed until they fit the new schema.
struct Draft {
  std::string_view op_type;
  std::vector<Value*> operands;
  std::vector<Parameter> parameters;
  std::vector<Attribute*> others;  // tensors, graphs, types: they are attributes in every version
  bool takes_matrix = false;       // the operand is reshaped to a matrix, and the result back
  std::vector<std::int64_t> swap;  // not empty: a transposition of the operand, and of the result back
  bool batched = false;            // it is for one element of a batch (scan_batches.h)
  std::int64_t matrix_axis = 1;    // the first axis that becomes part of the columns
};

// Null when the draft has no parameter of that name.
Parameter* find_parameter(Draft& draft, std::string_view name);
// Adds the default of the older version as a parameter, unless it is given. Throws Obstacle.
void write_default(Draft& draft, std::string_view name, const ops::Schema& before);

// Adds a node of the new opset in front of `position`, and returns its result.
using MakeNode = std::function<Value*(Node& position, std::string_view op_type, std::span<Value* const> operands,
                                      std::span<const Parameter> parameters)>;

// Both change the draft so that it means in opset `to` what the node means now, and throw Obstacle if that cannot be.
void apply_change(const ops::OpsetChange& change, Node& node, const ops::Schema& before, std::int64_t to,
                  const analysis::Facts& facts, const MakeNode& make, Draft& draft);
// To an older opset.
void undo_change(const ops::OpsetChange& change, Node& node, const ops::Op& before, std::int64_t to,
                 const analysis::Facts& facts, const MakeNode& make, Draft& draft);

}  // namespace onnxpress::passes

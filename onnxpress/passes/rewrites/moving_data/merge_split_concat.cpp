// Removes a Concat that undoes a Split, and a Split that undoes a Concat.
//
//   before: a, b = Split(x, axis = 1); y = Concat(a, b, axis = 1)     before: y, z = Split(Concat(a, b))
//   after:  readers of y read x                                       after:  readers of y read a, of z read b
//
// All parts must be in order, along the same axis; a Split must cut where the Concat joined.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

std::optional<std::size_t> axis_of(const Node& node, const Value* ranked, const Rewriter& rw) {
  const auto axis = rw.params(node).integer("axis");
  const auto shape = rw.shape_of(ranked);
  return axis && shape ? ops::normal_axis(*axis, shape->size()) : std::nullopt;
}

bool join(Node& concat, Rewriter& rw) {
  Node* split = rw.producer(concat.input(0), "Split");
  if (!split || split->output_count() != concat.input_count()) return false;
  for (std::size_t i = 0; i < concat.input_count(); ++i) {
    if (concat.input(i) != split->output(i)) return false;
  }
  const auto axis = axis_of(concat, concat.output(), rw);
  return axis && axis == axis_of(*split, split->input(0), rw) && rw.replace(concat, split->input(0));
}

bool cut(Node& split, Rewriter& rw) {
  Node* concat = rw.producer(split.input(0), "Concat");
  if (!concat || concat->input_count() != split.output_count()) return false;
  const auto axis = axis_of(split, split.input(0), rw);
  if (!axis || axis != axis_of(*concat, concat->output(), rw)) return false;
  for (std::size_t i = 0; i < split.output_count(); ++i) {
    if (!split.output(i) || !rw.same_shape(split.output(i), concat->input(i)) || split.output(i)->is_output())
      return false;
  }
  for (std::size_t i = 0; i < split.output_count(); ++i) {
    if (split.output(i)->is_used()) rw.replace_value(split.output(i), concat->input(i));
  }
  return true;
}

bool apply_merge_split_concat(Node& node, Rewriter& rw) { return node.is("Concat") ? join(node, rw) : cut(node, rw); }

constexpr std::string_view kMergeSplitConcatRoots[] = {"Concat", "Split"};

}  // namespace

extern const Rewrite merge_split_concat;
const Rewrite merge_split_concat = {.name = "merge-split-concat",
                                    .summary = "removes a Concat that undoes a Split, and a Split that undoes a Concat",
                                    .exactness = Exactness::kExact,
                                    .group = "moving_data",
                                    .roots = kMergeSplitConcatRoots,
                                    .apply = apply_merge_split_concat};

}  // namespace onnxpress::passes

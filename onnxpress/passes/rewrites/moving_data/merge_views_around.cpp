// Removes views before and after elementwise ops if they undo each other.
//
//   before: y = Reshape(Relu(Reshape(x, [2, -1])), [2, 3, 4])   with x of [2, 3, 4]
//   after:  y = Relu(x)
//
// Between them there may be ops with one operand, or with constants of one element; nothing else may read the values in
// between.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/copy_with.h"
#include "onnxpress/passes/shared/view_dims.h"

namespace onnxpress::passes {

namespace {

constexpr std::size_t kFarthestView = 8;  // the most ops between the views

// The operand of an elementwise op whose other operands are constant scalars; nullopt when there is none.
std::optional<std::size_t> only_operand(const Node& node, const Rewriter& rw) {
  const ops::Op* op = rw.op_of(node);
  if (!op || !op->has(ops::kElementwise) || node.output_count() != 1 || node.attribute("broadcast") || node.is("PRelu"))
    return std::nullopt;
  std::optional<std::size_t> found;
  for (const Use& use : node.inputs()) {
    if (!use.value()) continue;
    const auto shape = rw.shape_of(use.value());
    if (shape && shape->empty() && rw.is_constant(use.value())) continue;
    if (found) return std::nullopt;
    found = use.index();
  }
  return found;
}

Node* view_of(const Value* value, const Rewriter& rw) {
  for (const std::string_view op : kViewOps) {
    if (Node* found = rw.sole_producer(value, op)) return found;
  }
  return nullptr;
}

bool apply_merge_views_around(Node& last, Rewriter& rw) {
  std::vector<std::pair<Node*, std::size_t>> between;
  Value* value = last.input(0);
  Node* first = nullptr;
  while (!(first = view_of(value, rw)) && between.size() < kFarthestView) {
    Node* node = value ? value->producer() : nullptr;
    const auto operand = node && rw.sole_producer(value, node->op_type()) ? only_operand(*node, rw) : std::nullopt;
    if (!operand || node->graph() != last.graph()) return false;
    between.emplace_back(node, *operand);
    value = node->input(*operand);
  }
  if (!first || between.empty() || !rw.same_shape(first->input(0), last.output())) return false;
  Value* made = first->input(0);
  for (auto at = between.rbegin(); at != between.rend(); ++at) {
    std::vector<Value*> operands;
    for (const Use& use : at->first->inputs()) operands.push_back(use.index() == at->second ? made : use.value());
    made = copy_with(*at->first, operands)->output();
  }
  return rw.replace(last, made);
}

}  // namespace

extern const Rewrite merge_views_around;
const Rewrite merge_views_around = {.name = "merge-views-around",
                                    .summary = "removes views before and after elementwise ops if they undo each other",
                                    .exactness = Exactness::kExact,
                                    .group = "moving_data",
                                    .roots = kViewOps,
                                    .apply = apply_merge_views_around};

}  // namespace onnxpress::passes

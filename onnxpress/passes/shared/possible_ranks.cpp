// Follows values back through Unsqueeze, Squeeze, If and elementwise ops, and forward to ops that take only one rank.
#include "onnxpress/passes/shared/possible_ranks.h"

namespace onnxpress::passes {

namespace {

constexpr int kFarthest = 8;  // the most nodes to look through

std::optional<std::size_t> axis_count(const Node& node, const Rewriter& rw) {
  const auto axes = rw.params(node).integers("axes");
  return axes && !axes->empty() ? std::optional(axes->size()) : std::nullopt;
}

// Whether the op's only operand has as many dims as its result.
bool keeps_rank(const Node& node, const Rewriter& rw) {
  const ops::Op* op = rw.op_of(node);
  const bool moves = node.is("Identity") || node.is("Cast");
  return op && (moves || op->has(ops::kElementwise)) && node.input_count() == 1 && node.output_count() == 1;
}

Ranks ranks_of(const Value& value, const Rewriter& rw, int farthest) {
  if (const auto shape = rw.shape_of(&value)) return Ranks::only(shape->size());
  const Node* node = value.producer();
  if (!node || farthest == 0 || !rw.op_of(*node)) return Ranks::all();
  if (node->is("If")) {
    const auto params = rw.params(*node);
    const Graph *first = params.graph("then_branch"), *second = params.graph("else_branch");
    const std::size_t i = value.output_index();
    if (!first || !second || i >= first->outputs().size() || i >= second->outputs().size()) return Ranks::all();
    return ranks_of(*first->outputs()[i]->value, rw, farthest - 1) |
           ranks_of(*second->outputs()[i]->value, rw, farthest - 1);
  }
  if (!node->input(0)) return Ranks::all();
  if (node->is("Unsqueeze") || node->is("Squeeze")) {
    const auto axes = axis_count(*node, rw);
    if (!axes) return Ranks::all();
    const Ranks before = ranks_of(*node->input(0), rw, farthest - 1);
    return node->is("Unsqueeze") ? before.more(*axes) : before.fewer(*axes);
  }
  return keeps_rank(*node, rw) ? ranks_of(*node->input(0), rw, farthest - 1) : Ranks::all();
}

std::optional<std::size_t> rank_needed_by(const Use& use, const Rewriter& rw, int farthest);

std::optional<std::size_t> needed(const Value& value, const Rewriter& rw, int farthest) {
  for (const Use* use = value.first_use(); use && farthest > 0; use = use->next()) {
    // A node in a body may never run.
    if (use->user()->graph() != value.graph()) continue;
    if (const auto rank = rank_needed_by(*use, rw, farthest - 1)) return rank;
  }
  return std::nullopt;
}

std::optional<std::size_t> rank_needed_by(const Use& use, const Rewriter& rw, int farthest) {
  const Node& node = *use.user();
  if (!rw.op_of(node)) return std::nullopt;
  if (node.is("LSTM") || node.is("GRU") || node.is("RNN"))
    return use.index() <= 2 || use.index() == 5 || use.index() == 6 ? std::optional<std::size_t>(3) : std::nullopt;
  if (node.is("Gemm") && use.index() < 2) return 2;
  if ((node.is("Conv") || node.is("ConvTranspose")) && use.index() == 0) {
    const auto weights = rw.shape_of(node.input(1));
    return weights ? std::optional(weights->size()) : std::nullopt;
  }
  if (node.is("Transpose")) {
    const auto perm = rw.params(node).integers("perm");
    return perm ? std::optional(perm->size()) : std::nullopt;
  }
  if (use.index() != 0 || !node.output()) return std::nullopt;
  if (node.is("Unsqueeze") || node.is("Squeeze")) {
    const auto axes = axis_count(node, rw);
    const auto after = axes ? needed(*node.output(), rw, farthest) : std::nullopt;
    if (!after) return std::nullopt;
    if (node.is("Squeeze")) return *after + *axes;
    return *after >= *axes ? std::optional(*after - *axes) : std::nullopt;
  }
  return keeps_rank(node, rw) ? needed(*node.output(), rw, farthest) : std::nullopt;
}

}  // namespace

Ranks possible_ranks(const Value& value, const Rewriter& rw) { return ranks_of(value, rw, kFarthest); }

std::optional<std::size_t> needed_rank(const Value& value, const Rewriter& rw) { return needed(value, rw, kFarthest); }

}  // namespace onnxpress::passes

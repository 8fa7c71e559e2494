// Moves nodes that both branches of an If compute in front of it.
//
//   before: y = If(c) <then_branch = {a = Exp(x); t = Relu(a)}, else_branch = {b = Exp(x); e = Neg(b)}>
//   after:  a = Exp(x); y = If(c) <then_branch = {t = Relu(a)}, else_branch = {e = Neg(a)}>
//
// One of the branches runs anyway. The nodes must have the same op, attributes and operands, which are values from
// outside or equal constants. Nodes that compute a result of a branch stay inside; so do random ops, ops with bodies,
// functions and unknown ops.
#include <algorithm>
#include <cstring>
#include <vector>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/same_value.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/regions/inline_branch.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/copy_with.h"
#include "onnxpress/passes/whole_graph.h"

namespace onnxpress::passes {

namespace {

constexpr std::size_t kMostCompared = std::size_t{1} << 20;  // bytes; larger constants count as different

class BranchSharer {
 public:
  explicit BranchSharer(Rewriter& rw) : rw_(rw) {}

  // Inner branches first: nodes that leave them may then leave the outer branch, too.
  std::size_t share(Graph& graph) {
    std::size_t shared = 0;
    for (Node& node : graph.nodes()) {
      for (const Attribute* attribute : node.attributes())
        for_each_graph_in(*attribute, [&](Graph& body) { shared += share(body); });
      if (rw_.is(node, "If")) shared += share_branches_of(node);
    }
    return shared;
  }

 private:
  std::size_t share_branches_of(Node& node) {
    Graph *first = branch_of(node, true), *second = branch_of(node, false);
    if (!first || !second || first == second) return 0;
    std::size_t shared = 0;
    for (Node& each : first->nodes()) {
      Node* twin = can_move(each) ? twin_of(each, *second) : nullptr;
      if (twin && move_out(each, *twin, node)) ++shared;
    }
    return shared;
  }

  bool can_move(const Node& node) const {
    const ops::Op* op = rw_.op_of(node);
    const bool is_plain = op && op->def && !op->has(ops::kRandom) && !op->has(ops::kHasBodies) && !node.is("Constant");
    return is_plain && node.output_count() > 0 &&
           std::ranges::none_of(node.outputs(), [](const Value* output) { return output && output->is_output(); });
  }

  // The equal node in the other branch, found among the users of a value from outside that both read.
  Node* twin_of(const Node& node, const Graph& other) const {
    for (const Use& use : node.inputs()) {
      const Value* value = use.value();
      if (!value || value->graph() == node.graph()) continue;
      for (const Use* each = value->first_use(); each; each = each->next()) {
        Node* user = each->user();
        if (user->graph() == &other && same(node, *user) && can_move(*user)) return user;
      }
      if (!constant_tensor(*value)) return nullptr;
    }
    return nullptr;
  }

  bool same(const Node& a, const Node& b) const {
    if (a.op_id() != b.op_id() || a.input_count() != b.input_count() || a.output_count() != b.output_count() ||
        a.attributes().size() != b.attributes().size())
      return false;
    for (std::size_t i = 0; i < a.input_count(); ++i) {
      if (!same_operand(a.input(i), b.input(i))) return false;
    }
    for (std::size_t i = 0; i < a.output_count(); ++i) {
      if (!a.output(i) != !b.output(i)) return false;
    }
    return std::ranges::all_of(a.attributes(), [&](const Attribute* attribute) {
      const Attribute* other = b.attribute(attribute->name);
      return other && !attribute->is_reference() && !other->is_reference() &&
             same_plain_value(attribute->value, other->value);
    });
  }

  bool same_operand(const Value* a, const Value* b) const {
    if (!a || !b) return a == b;
    if (a == b) return true;  // from outside: no value is in both branches
    if (!constant_tensor(*a) || !constant_tensor(*b)) return false;
    const auto left = rw_.constant(a), right = rw_.constant(b);
    if (!left || !right || left->is_string() || left->type() != right->type() || left->sizes() != right->sizes())
      return false;
    const std::size_t bytes = left->count() * left->width();
    return bytes <= kMostCompared && (bytes == 0 || std::memcmp(left->bytes(), right->bytes(), bytes) == 0);
  }

  // Returns false, and changes nothing, if the opset has no Constant that could hold one of the operands outside.
  bool move_out(Node& node, Node& twin, Node& branching) {
    Graph& outer = *branching.graph();
    rw_.begin(branching);
    std::vector<Value*> inputs, outputs;
    for (const Use& use : node.inputs()) {
      const bool is_copied = use.value() && use.value()->graph() == node.graph();
      inputs.push_back(is_copied ? rw_.copied_constant(*use.value()) : use.value());
      if (is_copied && !inputs.back()) return rw_.undo_unused(), false;
    }
    for (const Value* output : node.outputs())
      outputs.push_back(output ? outer.create_value({}, output->type()) : nullptr);
    outer.insert_before(&branching, parts_with(node, inputs, outputs));
    for (Node* each : {&node, &twin}) {
      for (std::size_t i = 0; i < each->output_count(); ++i) {
        if (each->output(i) && each->output(i)->is_used()) rw_.replace_value(each->output(i), outputs[i]);
      }
      if (!each->erased()) each->graph()->erase(*each);
    }
    return true;
  }

  Rewriter& rw_;
};

std::size_t apply_share_branches(Rewriter& rw) {
  std::size_t shared = BranchSharer(rw).share(rw.model().graph());
  for (const Function* function : rw.model().functions) shared += BranchSharer(rw).share(*function->body);
  return shared;
}

}  // namespace

extern const WholeGraphPass share_branches;
const WholeGraphPass share_branches = {.name = "share-branches",
                                       .summary = "moves nodes that both branches of an If compute in front of it",
                                       .exactness = Exactness::kExact,
                                       .apply = apply_share_branches};

}  // namespace onnxpress::passes

// Follows constants to the operands that are weights, according to a column of the op rows.
#include "onnxpress/weights/find/weight_roles.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/shared/constant_users.h"
#include "onnxpress/weights/chain/insert_chains.h"

namespace onnxpress::weights {

namespace {

// Ops that pass a weight on, maybe in another shape or type.
constexpr std::uint32_t kHandsOn = ops::kMovesData | ops::kConvertsData | ops::kJoinsData;

class RoleFinder {
 public:
  explicit RoleFinder(const analysis::OpResolver& ops) : ops_(ops) {}
  WeightRole find(const Value& value, std::size_t rank) {
    constexpr int kDepth = 6;  // nodes and functions on the way
    return role_of(value, rank, kDepth).value_or(WeightRole());
  }

 private:
  // The role of a weight that is transposed first, with the axes that it has before the Transpose.
  std::optional<WeightRole> before_transpose(const Node& node, std::size_t rank, int depth) {
    auto role = role_of(*node.output(), rank, depth - 1);
    if (!role) return std::nullopt;
    const Attribute* attribute = node.attribute("perm");
    const auto* perm = attribute ? std::get_if<std::span<const std::int64_t>>(&attribute->value) : nullptr;
    const bool single = role->channel_end == role->channel_begin + 1 && role->reduced_end == role->reduced_begin + 1;
    if (!single || (perm && perm->size() != rank)) return WeightRole{.op = role->op, .node = role->node};
    const auto taken_from = [&](std::size_t axis) {
      return perm ? static_cast<std::size_t>((*perm)[axis]) : rank - 1 - axis;
    };
    const std::size_t channel = taken_from(role->channel_begin), reduced = taken_from(role->reduced_begin);
    if (channel >= rank || reduced >= rank) return WeightRole{.op = role->op, .node = role->node};
    role->channel_begin = channel, role->channel_end = channel + 1;
    role->reduced_begin = reduced, role->reduced_end = reduced + 1;
    return role;
  }

  // Each value is looked at once, however many paths lead to it.
  std::optional<WeightRole> role_of(const Value& value, std::size_t rank, int depth) {
    if (depth == 0) return std::nullopt;
    const auto [at, is_new] = known_.try_emplace(std::pair(&value, rank));
    if (is_new) at->second = role_by_users(value, rank, depth);
    return at->second;
  }

  std::optional<WeightRole> role_by_users(const Value& value, std::size_t rank, int depth) {
    for (const Use* use = value.first_use(); use; use = use->next()) {
      const Node& user = *use->user();
      const std::size_t slot = use->index();
      if (const Function* function = ops_.function_of(user)) {
        const Value* inside = passes::parameter_of(*function, slot);
        if (auto role = inside ? role_of(*inside, rank, depth - 1) : std::nullopt) return role;
        continue;
      }
      const ops::Op* op = ops_.op_of(user);
      if (!op) continue;
      if (op->takes_weight(slot)) {
        const auto axes_of = op->def->weights.axes;
        const ops::WeightAxes axes = axes_of ? axes_of(user, slot, rank) : ops::WeightAxes{};
        return WeightRole{user.op_type(),   user.name(),        axes.channel_begin,
                          axes.channel_end, axes.reduced_begin, axes.reduced_end};
      }
      if (user.is("Transpose") && user.output()) {
        if (auto role = before_transpose(user, rank, depth)) return role;
      } else if (op->has_any(kHandsOn) && user.output()) {
        if (const auto role = role_of(*user.output(), 0, depth - 1))
          return WeightRole{.op = role->op, .node = role->node};
      }
    }
    return std::nullopt;
  }

  const analysis::OpResolver& ops_;
  std::map<std::pair<const Value*, std::size_t>, std::optional<WeightRole>> known_;  // by value and rank
};

}  // namespace

std::vector<Weight> find_weights(const Model& model, const passes::Scopes& scopes) {
  std::vector<Weight> found;
  const analysis::OpResolver ops(model);
  RoleFinder roles(ops);
  passes::ConstantUsers users(ops);
  const auto add = [&](Value* value) {
    const Tensor* tensor = scopes.is_constant(*value) ? constant_tensor(*value) : nullptr;
    if (!tensor || !FloatSource::reads(tensor->type) || tensor->segmented || tensor->conflicting) return;
    if (!tensor->expected_bytes()) return;
    found.push_back({value, tensor, roles.find(*value, tensor->dims.size()), users.take_any_value(*value),
                     opset_in(ops.imports_of(*value->graph()), "")});
  };
  const auto add_all = [&](Graph& graph) {
    for (Value* value : graph.initializers()) add(value);
    for (Node& node : graph.nodes()) {
      if (node.is("Constant") && node.output()) add(node.output());
    }
  };
  for_each_graph(model.graph(), add_all);
  for (const Function* function : model.functions) for_each_graph(*function->body, add_all);
  return found;
}

}  // namespace onnxpress::weights

// One row for each op that takes weights.
#include "onnxpress/weights/choose/weight_roles.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/constant_users.h"
#include "onnxpress/weights/chain/insert_chains.h"

namespace onnxpress::weights {

namespace {

struct Axes {
  std::size_t channel_begin = 0, channel_end = 0, reduced_begin = 0, reduced_end = 0;
};

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise) {
  const Attribute* attribute = node.attribute(name);
  const auto* value = attribute ? std::get_if<std::int64_t>(&attribute->value) : nullptr;
  return value ? *value : otherwise;
}

Axes of_conv(const Node& /*node*/, std::size_t /*slot*/, std::size_t rank) {
  return rank > 1 ? Axes{0, 1, 1, rank} : Axes{};
}
// [inputs, outputs, ...]
Axes of_conv_transpose(const Node& /*node*/, std::size_t /*slot*/, std::size_t rank) {
  return rank > 1 ? Axes{1, 2, 0, 1} : Axes{};
}
Axes of_gemm(const Node& node, std::size_t slot, std::size_t rank) {
  if (rank != 2) return {};
  const bool transposed = integer_of(node, slot == 0 ? "transA" : "transB", 0) != 0;
  const bool rows_are_channels = (slot == 0) != transposed;
  return rows_are_channels ? Axes{0, 1, 1, 2} : Axes{1, 2, 0, 1};
}
Axes of_matmul(const Node& /*node*/, std::size_t slot, std::size_t rank) {
  if (rank < 2) return {};
  return slot == 0 ? Axes{rank - 2, rank - 1, rank - 1, rank} : Axes{rank - 1, rank, rank - 2, rank - 1};
}
// A row for each index.
Axes of_gather(const Node& node, std::size_t /*slot*/, std::size_t rank) {
  std::int64_t axis = integer_of(node, "axis", 0);
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(axis, 0));
  return at < rank ? Axes{at, at + 1, at + 1, rank} : Axes{};
}
// [directions, gates * hidden, inputs]
Axes of_recurrent(const Node& /*node*/, std::size_t /*slot*/, std::size_t rank) {
  return rank == 3 ? Axes{0, 2, 2, 3} : Axes{};
}
Axes of_any(const Node& /*node*/, std::size_t /*slot*/, std::size_t /*rank*/) { return {}; }

struct Row {
  std::string_view domain, op_type;
  std::uint32_t slots;  // bit i: operand i is a weight
  Axes (*axes)(const Node& node, std::size_t slot, std::size_t rank);
};
constexpr Row kRows[] = {
    {"", "Conv", 2, of_conv},
    {"", "DeformConv", 2, of_conv},
    {"", "ConvTranspose", 2, of_conv_transpose},
    {"", "Gemm", 3, of_gemm},
    {"", "MatMul", 3, of_matmul},
    {"", "Einsum", 7, of_any},
    {"", "Gather", 1, of_gather},
    {"", "LSTM", 6, of_recurrent},
    {"", "GRU", 6, of_recurrent},
    {"", "RNN", 6, of_recurrent},
    {"com.microsoft", "FusedConv", 2, of_conv},
    {"com.microsoft", "FusedMatMul", 3, of_any},
    {"com.microsoft", "FusedGemm", 3, of_gemm},
    {"com.microsoft", "Attention", 2, of_matmul},
    {"com.microsoft", "EmbedLayerNormalization", 0b11100, of_gather},
};

const Row* row_of(const Node& node, std::size_t slot) {
  for (const Row& row : kRows) {
    const bool same_domain = row.domain.empty() ? is_standard_domain(node.domain()) : node.domain() == row.domain;
    if (same_domain && node.op_type() == row.op_type && slot < 8 && ((row.slots >> slot) & 1U) != 0) return &row;
  }
  return nullptr;
}

// Ops that hand a weight on as it is.
bool moves(const Node& node) {
  return node.is("Identity") || node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") || node.is("Cast") ||
         node.is("Slice") || node.is("Split") || node.is("Concat");
}

class RoleFinder {
 public:
  explicit RoleFinder(const analysis::OpResolver& ops) : ops_(ops) {}
  WeightRole find(const Value& value, std::size_t rank) {
    constexpr int kDepth = 6;  // nodes and functions on the way
    return role_of(value, rank, kDepth).value_or(WeightRole());
  }

 private:
  // A weight that is transposed first: its axes are where the permutation takes them from.
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

  // Each value is looked at once, however many ways lead to it.
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
      if (const Row* row = row_of(user, slot)) {
        const Axes axes = row->axes(user, slot, rank);
        return WeightRole{user.op_type(),   user.name(),        axes.channel_begin,
                          axes.channel_end, axes.reduced_begin, axes.reduced_end};
      }
      if (user.is("Transpose") && user.output()) {
        if (auto role = before_transpose(user, rank, depth)) return role;
      } else if (moves(user) && user.output()) {
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

bool takes_weight(const Node& node, std::size_t slot) { return row_of(node, slot) != nullptr; }

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

// Walks from a layer to the op that makes its input.
#include "onnxpress/weights/find/channel_links.h"

#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "onnxpress/ir/constants.h"

namespace onnxpress::weights {

namespace {

std::span<const std::int64_t> dims_of(const Value& constant) { return constant_tensor(constant)->dims; }

std::uint64_t count_of(const Value& constant) { return constant_tensor(constant)->element_count().value_or(0); }

// Is it a constant with one number for each channel, along the last axis?
bool is_by_channel(const Value* value, std::size_t channels) {
  if (!is_own_floats(value) || dims_of(*value).empty() || count_of(*value) != channels) return false;
  return static_cast<std::size_t>(dims_of(*value).back()) == channels;
}

bool has_own_matrix(const Node& node) {
  if (!is_own_floats(node.input(1))) return false;
  const std::size_t rank = dims_of(*node.input(1)).size();
  return node.is("Conv") ? rank >= 3 : rank == 2;
}

bool is_transposed(const Node& node, std::string_view name) {
  return node.is("Gemm") && attribute_or<std::int64_t>(node, name, 0) != 0;
}

// The weight of a layer, by input channel; nullopt if the node is not a layer whose input channels can be scaled.
std::optional<ChannelConstant> weight_behind(const Node& node, std::size_t& channels) {
  const bool conv = node.is("Conv");
  if ((!conv && !node.is("MatMul") && !node.is("Gemm")) || !has_own_matrix(node)) return std::nullopt;
  if (is_transposed(node, "transA") || (conv && attribute_or<std::int64_t>(node, "group", 1) != 1)) return std::nullopt;
  const auto dims = dims_of(*node.input(1));
  const std::size_t axis = conv || is_transposed(node, "transB") ? 1 : 0;
  channels = static_cast<std::size_t>(dims[axis]);
  ChannelConstant found{node.input(1), 1};
  for (const std::int64_t size : dims.subspan(axis + 1)) found.inner *= static_cast<std::uint64_t>(size);
  return found;
}

// The only node that reads this value; null if there are several, or it is an output.
const Node* only_user(const Value* value) {
  return value && !value->is_output() && value->use_count() == 1 ? value->first_use()->user() : nullptr;
}

// Walks up from the layers that read a value.
class LinkFinder {
 public:
  explicit LinkFinder(const Value& between) : conv_(between.first_use()->user()->is("Conv")) {
    link_.between = &between;
  }

  std::optional<ChannelLink> find() {
    if (!take_behind() || link_.channels < 2) return std::nullopt;
    const Node* maker = maker_of(*link_.between);
    if (!maker || !take_before(*maker)) return std::nullopt;
    return std::move(link_);
  }

 private:
  bool take_behind() {
    if (link_.between->is_output()) return false;
    for (const Use* use = link_.between->first_use(); use; use = use->next()) {
      std::size_t channels = 0;
      const auto found = use->index() == 0 ? weight_behind(*use->user(), channels) : std::nullopt;
      if (!found || use->user()->is("Conv") != conv_ || use->user()->graph() != link_.between->graph()) return false;
      if (!link_.behind.empty() && channels != link_.channels) return false;
      link_.channels = channels;
      link_.behind.push_back(*found);
    }
    return true;
  }

  // The node that makes the value, above ops with f(s * x) = s * f(x) for any s > 0.
  const Node* maker_of(const Value& value) const {
    const Node* node = value.producer();
    const auto scales_along = [this](const Node& op) {
      if (op.is("Relu") || op.is("LeakyRelu") || op.is("Identity")) return true;
      return conv_ &&
             ((op.is("MaxPool") && op.outputs().size() == 1) || op.is("AveragePool") || op.is("GlobalAveragePool"));
    };
    while (node && scales_along(*node)) {
      const Value* above = node->input(0);
      if (!above || only_user(above) != node || above->graph() != value.graph()) return nullptr;
      node = above->producer();
    }
    return node;
  }

  bool take_before(const Node& maker) {
    if (conv_ && maker.is("BatchNormalization")) return take_affine(maker.input(1), maker.input(2));
    if (!conv_ && maker.is("LayerNormalization") && attribute_or<std::int64_t>(maker, "axis", -1) == -1)
      return take_affine(maker.input(1), maker.input(2));
    if (maker.is("Conv") == conv_ && (conv_ || maker.is("Gemm"))) return take_layer(maker, maker.input(2));
    if (!conv_ && maker.is("MatMul")) return take_layer(maker, nullptr);
    return !conv_ && maker.is("Add") && take_sum(maker);
  }

  bool take_affine(Value* scale, Value* shift) {
    if (!is_by_channel(scale, link_.channels) || (shift && !is_by_channel(shift, link_.channels))) return false;
    link_.before.push_back({scale});
    if (shift) link_.before.push_back({shift});
    return true;
  }

  bool take_layer(const Node& layer, Value* bias) {
    if (!has_own_matrix(layer) || (bias && !is_by_channel(bias, link_.channels))) return false;
    const auto dims = dims_of(*layer.input(1));
    const bool rows_first = layer.is("Conv") || is_transposed(layer, "transB");
    if (static_cast<std::size_t>(dims[rows_first ? 0 : 1]) != link_.channels) return false;
    link_.before.push_back({layer.input(1), rows_first ? count_of(*layer.input(1)) / link_.channels : 1});
    if (bias) link_.before.push_back({bias});
    link_.weight_before = true;
    return true;
  }

  // The sum of a constant and a MatMul, or of a constant and a Mul by a constant.
  bool take_sum(const Node& add) {
    if (!add.attributes().empty()) return false;  // in the first opsets, Add has an axis
    for (const std::size_t side : {0, 1}) {
      const Value* sum = add.input(side);
      Value* shift = add.input(1 - side);
      const Node* maker = sum ? sum->producer() : nullptr;
      if (!maker || only_user(sum) != &add || !is_by_channel(shift, link_.channels)) continue;
      if (maker->is("MatMul")) return take_layer(*maker, shift);
      if (!maker->is("Mul") || !maker->attributes().empty()) continue;
      for (const std::size_t factor : {0, 1}) {
        if (is_by_channel(maker->input(factor), link_.channels)) return take_affine(maker->input(factor), shift);
      }
    }
    return false;
  }

  bool conv_;  // channels are the second axis, otherwise the last
  ChannelLink link_;
};

}  // namespace

bool is_own_floats(const Value* value) {
  const Tensor* tensor = value ? constant_tensor(*value) : nullptr;
  return tensor && tensor->type == ElementType::kFloat && !tensor->segmented && !tensor->conflicting &&
         !value->is_output() && value->use_count() == 1;
}

std::vector<ChannelLink> find_channel_links(const Graph& graph) {
  std::vector<ChannelLink> links;
  std::unordered_set<const Value*> seen;
  for (const Node& node : graph.nodes()) {
    const Value* between = node.input(0);
    if (!between || !between->producer() || !has_own_matrix(node) || !seen.insert(between).second) continue;
    if (auto link = LinkFinder(*between).find()) links.push_back(std::move(*link));
  }
  return links;
}

}  // namespace onnxpress::weights

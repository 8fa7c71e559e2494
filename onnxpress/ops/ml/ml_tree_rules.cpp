// What the attributes of tree ensembles must have in common: types and lengths of lists.
#include "onnxpress/ops/ml/ml_tree_rules.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "onnxpress/ops/core/rules.h"

namespace onnxpress::ops {

namespace {

// A tensor attribute, if given, is a list of this type with `count` entries (any number of them if nullopt).
bool require_list_of(Inference& in, std::string_view name, ElementType type, std::optional<std::int64_t> count) {
  const Tensor* tensor = in.params.attribute(name) ? in.params.tensor(name) : nullptr;
  if (!tensor) return true;
  const bool has_count = tensor->dims.size() == 1 && (!count || tensor->dims[0] == *count);
  if (has_count && (tensor->type == type || !is_known(type))) return true;
  in.contradict(fmt::format("{} is {}, but must be {}[{}]", name, to_string(tensor->type, tensor->dims), name_of(type),
                            count ? fmt::to_string(*count) : "N"));
  return false;
}

}  // namespace

bool require_trees(Inference& in) {
  const Params& params = in.params;
  const ElementType type = in.operand(0).element;
  const Tensor *splits = params.tensor("nodes_splits"), *weights = params.tensor("leaf_weights");
  if (!splits || !weights) return true;
  if (!require_list_of(in, "nodes_splits", type, {}) || !require_list_of(in, "leaf_weights", type, {})) return false;
  const std::int64_t nodes = splits->dims[0], leaves = weights->dims[0];
  for (const std::string_view name : {"nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs",
                                      "nodes_falseleafs", "nodes_missing_value_tracks_true"}) {
    if (!require_list(in, name, static_cast<std::size_t>(nodes), std::numeric_limits<std::int64_t>::min(), false))
      return false;
  }
  const auto membership = params.attribute("membership_values") ? params.tensor("membership_values") : nullptr;
  if (membership && is_known(type) && membership->type != type) {
    in.contradict(fmt::format("membership_values is {}, but must be {}", name_of(membership->type), name_of(type)));
    return false;
  }
  return require_list_of(in, "nodes_hitrates", ElementType::kFloat, nodes) &&
         require_list_of(in, "nodes_modes", ElementType::kUint8, nodes) &&
         require_list(in, "leaf_targetids", static_cast<std::size_t>(leaves), std::numeric_limits<std::int64_t>::min(),
                      false);
}

bool require_classic_trees(Inference& in, std::string_view votes) {
  if (!in.params.schema().attribute("nodes_values_as_tensor")) return true;
  for (const std::string_view name :
       {std::string_view("nodes_values"), std::string_view("nodes_hitrates"), votes, std::string_view("base_values")}) {
    if (!require_one_of(in, {name, fmt::format("{}_as_tensor", name)})) return false;
  }
  return require_rank(in, 0, 2);
}

}  // namespace onnxpress::ops

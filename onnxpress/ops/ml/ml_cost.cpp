// Coefficients and vectors are attributes, so only the number of rows is symbolic.
#include "onnxpress/ops/ml/ml_cost.h"

#include <bit>
#include <set>

namespace onnxpress::ops {

namespace {

Dim rows_of(CostQuery& query) {
  const Shape* x = query.in.shape(0);
  if (!x) return {};
  return x->size() < 2 ? Dim::size(1) : (*x)[0];
}

std::size_t length_of(CostQuery& query, std::string_view attribute) {
  const auto list = query.in.params.reals(attribute);
  return list ? list->size() : 0;
}

}  // namespace

void cost_linear_model(CostQuery& query) {
  const auto coefficients = static_cast<std::int64_t>(length_of(query, "coefficients"));
  query.cost.macs = query.product(rows_of(query), Dim::size(coefficients));
}

void cost_svm(CostQuery& query) {
  const auto vectors = static_cast<std::int64_t>(length_of(query, "support_vectors"));
  const auto linear = static_cast<std::int64_t>(length_of(query, "coefficients"));
  query.cost.macs = query.product(rows_of(query), Dim::size(vectors > 0 ? vectors : linear));
  query.cost.is_estimate = true;  // kernels differ in what they compute from a distance
}

void cost_trees(CostQuery& query) {
  query.cost.is_estimate = true;
  const auto ids = query.in.params.integers("nodes_treeids");
  const auto roots = query.in.params.integers("tree_roots");
  const auto splits = query.in.params.integers("nodes_featureids");
  const std::size_t trees = ids ? std::set<std::int64_t>(ids->begin(), ids->end()).size() : roots ? roots->size() : 0;
  const std::size_t nodes = ids ? ids->size() : splits ? splits->size() : 0;
  if (trees == 0) {
    query.cost.flops = Dim();
    return;
  }
  const auto depth = static_cast<std::int64_t>(std::bit_width(nodes / trees));
  query.cost.flops = query.product(rows_of(query), Dim::size(static_cast<std::int64_t>(trees) * depth));
}

}  // namespace onnxpress::ops

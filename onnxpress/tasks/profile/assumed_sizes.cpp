// Guessing sizes by where a symbol stands, and by its name.
#include "onnxpress/tasks/profile/assumed_sizes.h"

#include <algorithm>
#include <string>

#include "onnxpress/ir/walk.h"

namespace onnxpress::tasks {

namespace {

std::int64_t size_by_place(std::string_view name, std::size_t axis, std::size_t rank) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.find("batch") != std::string::npos) return 1;
  if (lower.find("past") != std::string::npos) return lower.find('+') == std::string::npos ? 0 : 128;
  if (axis == 0 && rank > 1) return 1;
  if (rank == 4 && axis >= 2) return 224;
  return 128;
}

class Collector {
 public:
  explicit Collector(ops::DimMath& dims) : dims_(dims) {}

  void add(const Symbol* symbol, std::int64_t size) {
    if (!dims_.is_plain(Dim::symbol(symbol))) return;
    for (const auto& [known, each] : found_.sizes) {
      if (known == symbol) return;
    }
    found_.sizes.emplace_back(symbol, size);
  }
  // Plain symbols inside of an expression: those that it cannot be evaluated without.
  void add_parts(Dim dim) {
    dims_.value_of(dim, [this](const Symbol& symbol) {
      add(&symbol, 128);
      return std::optional<std::int64_t>(128);
    });
  }

  AssumedSizes found_;

 private:
  ops::DimMath& dims_;
};

}  // namespace

std::optional<std::int64_t> AssumedSizes::of(const Symbol& symbol) const {
  for (const auto& [known, size] : sizes) {
    if (known == &symbol) return size;
  }
  return std::nullopt;
}

AssumedSizes assumed_sizes(const Model& model, const analysis::Facts& facts, const analysis::ModelCosts& costs) {
  Collector collector(facts.dims());
  for (const ValueInfo* input : model.graph().inputs()) {
    const auto shape = facts.shape_of(*input->value);
    if (!shape) continue;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const Dim dim = (*shape)[axis];
      if (dim.is_symbol() && facts.dims().is_plain(dim))
        collector.add(dim.symbol(), size_by_place(dim.symbol()->name, axis, shape->size()));
    }
  }
  for_each_node(model, [&](const Node& node) {
    for (const Value* output : node.outputs()) {
      if (!output) continue;
      const auto shape = facts.shape_of(*output);
      if (!shape) continue;
      for (const Dim dim : *shape) {
        if (dim.is_symbol()) collector.add_parts(dim);
      }
    }
  });
  for (const analysis::NodeCost& cost : costs.nodes) {
    if (cost.times.is_symbol()) collector.add_parts(cost.times);
  }
  return std::move(collector.found_);
}

}  // namespace onnxpress::tasks

// Counts multiply-adds by the cost columns of the ops, and estimates the rest.
#include "onnxpress/engines/run_work.h"

#include <algorithm>

#include "onnxpress/analysis/cost/node_costs.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::engines {

namespace {

double parameters_of(const Model& model) {
  double count = 0;
  for_each_graph(model.graph(), [&count](const Graph& graph) {
    for (const Value* value : graph.initializers()) {
      if (value->initializer()) count += static_cast<double>(value->initializer()->element_count().value_or(0));
    }
  });
  return count;
}

double elements_of(const NamedArrays& inputs) {
  double count = 0;
  for (const auto& [name, array] : inputs) count += static_cast<double>(array.count());
  return count;
}

}  // namespace

analysis::FactSettings settings_for(const NamedArrays& inputs) {
  analysis::FactSettings settings;
  for (const auto& [name, array] : inputs) {
    std::vector<Dim> shape;
    for (const std::int64_t size : array.sizes()) shape.push_back(Dim::size(size));
    settings.shapes.emplace_back(name, std::move(shape));
  }
  return settings;
}

double work_of_run(const Model& model, const NamedArrays& inputs) {
  constexpr double kPerNode = 20000, kPerParameter = 2, kPerElement = 100;
  const analysis::Facts facts(model, settings_for(inputs));
  const analysis::ModelCosts costs = analysis::costs_of(facts, model);
  const double macs = costs.macs.is_number() ? static_cast<double>(costs.macs.number()) : 0;
  const double others = costs.flops.is_number() ? static_cast<double>(costs.flops.number()) : 0;
  return std::max(macs, others / 2) + kPerNode * static_cast<double>(costs.nodes.size()) +
         kPerParameter * parameters_of(model) + kPerElement * elements_of(inputs);
}

double work_of_loading(const Model& model) {
  constexpr double kPerParameter = 40, kAtLeast = 2e7;
  return kAtLeast + kPerParameter * parameters_of(model);
}

}  // namespace onnxpress::engines

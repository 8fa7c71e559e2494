// Range, mean and histogram of one weight.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/json_report.h"
#include "web/bridge/tasks.h"

namespace onnxpress::web {

namespace {

struct WeightReport {
  std::string name, type;
  std::uint64_t elements = 0, zeros = 0, not_finite = 0;
  double least = 0, most = 0, mean = 0, deviation = 0;
  std::vector<std::uint64_t> histogram;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &WeightReport::name, "name of the tensor");
    visit("type", &WeightReport::type, "element type and shape");
    visit("elements", &WeightReport::elements, "how many it has");
    visit("zeros", &WeightReport::zeros, "those that are 0");
    visit("not_finite", &WeightReport::not_finite,
          "those that are infinite or not a number; they are not in the other figures");
    visit("least", &WeightReport::least, "the smallest element");
    visit("most", &WeightReport::most, "the largest element");
    visit("mean", &WeightReport::mean, "their mean");
    visit("deviation", &WeightReport::deviation, "their standard deviation");
    visit("histogram", &WeightReport::histogram, "how many are in each of 32 equal steps from least to most");
  }
};

template <typename Take>
void for_each_element(const ops::Array& array, const Take& take) {
  std::array<double, ops::kConvertedAtOnce> some{};
  for (std::size_t first = 0; first < array.count(); first += some.size()) {
    const std::size_t count = std::min(some.size(), array.count() - first);
    if (!ops::load(array, first, count, some.data())) throw Error("", "this type of element has no histogram");
    for (std::size_t i = 0; i < count; ++i) take(some[i]);
  }
}

// Two passes, because the steps depend on the range.
void measure(const ops::Array& array, WeightReport& report) {
  double sum = 0, squares = 0;
  report.elements = array.count();
  report.least = std::numeric_limits<double>::infinity();
  report.most = -report.least;
  for_each_element(array, [&](double value) {
    report.zeros += value == 0;
    if (!std::isfinite(value)) {
      ++report.not_finite;
      return;
    }
    report.least = std::min(report.least, value);
    report.most = std::max(report.most, value);
    sum += value;
    squares += value * value;
  });
  const auto count = static_cast<double>(report.elements - report.not_finite);
  if (count == 0) {
    report.least = report.most = 0;
    return;
  }
  report.mean = sum / count;
  report.deviation = std::sqrt(std::max(0.0, squares / count - report.mean * report.mean));
  constexpr std::size_t kSteps = 32;
  report.histogram.assign(kSteps, 0);
  const double width = (report.most - report.least) / kSteps;
  for_each_element(array, [&](double value) {
    if (!std::isfinite(value)) return;
    const double step = width > 0 && std::isfinite(width) ? (value - report.least) / width : 0;
    ++report.histogram[std::min(static_cast<std::size_t>(step), kSteps - 1)];
  });
}

// Weights that are attributes of Constant nodes are found by the name of the node's result.
const Tensor* tensor_named(const Graph& graph, const std::string& name) {
  for (const Value* value : graph.initializers()) {
    if (value->name() == name) return value->initializer();
  }
  for (const Node& node : graph.nodes()) {
    if (!node.is("Constant") || !node.output() || node.output()->name() != name) continue;
    const Attribute* attribute = node.attribute("value");
    const auto* tensor = attribute ? std::get_if<Tensor*>(&attribute->value) : nullptr;
    if (tensor) return *tensor;
  }
  return nullptr;
}

}  // namespace

std::string weights_json(const std::string& path, std::uint64_t graph, const std::string& tensor) {
  const LoadedModel loaded = open_model(path);
  const Tensor* found = nullptr;
  std::uint64_t number = 0;
  for_each_graph(loaded.model, [&](const Graph& each) {
    if (number++ == graph) found = tensor_named(each, tensor);
  });
  if (!found) throw Error("", fmt::format("there is no weight {}", quote_name(tensor)));
  WeightReport report{.name = tensor, .type = to_string(found->type, found->dims)};
  measure(ops::Array::from(*found), report);
  return json_text(report);
}

}  // namespace onnxpress::web

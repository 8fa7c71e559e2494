// What quantizing changed on purpose: what a comparison of the result with the original model has to allow.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "onnxpress/compare/same_model.h"

namespace onnxpress {

struct Changes {
  // New nodes took the place of others, so the result cannot be compared with the original node by node.
  bool new_nodes = false;
  // By tensor: the largest difference that an element may have.
  std::map<std::string, double, std::less<>> tolerances;

  void allow(const std::string& tensor, double difference) {
    double& allowed = tolerances[tensor];
    allowed = std::max(allowed, difference);
  }
  // For a change that comes on top of another one.
  void allow_more(const std::string& tensor, double difference) { tolerances[tensor] += difference; }

  void add(const Changes& others) {
    new_nodes = new_nodes || others.new_nodes;
    for (const auto& [tensor, difference] : others.tolerances) allow(tensor, difference);
  }

  // Valid as long as this object.
  compare::RoundedWeights rounded() const { return {tolerances.begin(), tolerances.end()}; }
};

}  // namespace onnxpress

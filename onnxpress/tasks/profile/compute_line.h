// The work of a model in one line, for `info` and its tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct ComputeLine {
  std::optional<std::uint64_t> macs;
  bool at_least = false;
  std::string formula, op;
  double share = 0;
  std::vector<std::string> inputs;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("macs", &ComputeLine::macs, "multiply-adds of one run, as in `profile`; null when too large or not known");
    visit("at_least", &ComputeLine::at_least, "true when some nodes could not be counted");
    visit("formula", &ComputeLine::formula, "the same in terms of the model's symbols");
    visit("op", &ComputeLine::op, "the operator with the most of them; empty if there are none");
    visit("share", &ComputeLine::share, "its share");
    visit("inputs", &ComputeLine::inputs,
          "input sizes that these figures are for; sizes that were not given are assumed");
  }
};

// Never fails: what cannot be counted is left out.
ComputeLine compute_of(const Model& model);

}  // namespace onnxpress::tasks

// Runs the conversion, which is a pass, and reports on it.
#include "onnxpress/tasks/optimize/change_opset.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/passes/opset/convert_opset.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/parts/make_part.h"

namespace onnxpress {

std::string change_opset(Model& model, std::int64_t wanted) {
  const bool was_valid = model.opset("") != wanted && is_valid(model);
  const passes::OpsetConversion done = passes::convert_opset(model, wanted);
  if (!done.problems.empty()) {
    constexpr std::size_t kMost = 10;
    const auto count = static_cast<std::ptrdiff_t>(std::min(kMost, done.problems.size()));
    std::vector<std::string> shown(done.problems.begin(), done.problems.begin() + count);
    if (done.problems.size() > kMost) shown.push_back(fmt::format("and {} more", done.problems.size() - kMost));
    throw Error("",
                fmt::format("cannot be converted from opset {} to {}: {}", done.before, wanted, fmt::join(shown, "; ")),
                "nothing was written");
  }
  if (done.before == wanted) return {};
  passes::remove_dead(model);  // constants that became attributes
  Model copy = model.clone();
  require_valid(copy, was_valid, fmt::format("the model in opset {}", wanted));  // types that older ops reject
  return fmt::format("opset {} -> {}: {} rewritten", done.before, wanted,
                     done.nodes == 1 ? "1 node was" : fmt::format("{} nodes were", done.nodes));
}

}  // namespace onnxpress

// Runs the conversion, which is a pass, and reports on it.
#include "onnxpress/tasks/change_opset.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/passes/convert_opset.h"
#include "onnxpress/passes/remove_dead.h"

namespace onnxpress::tasks {

std::string change_opset(Model& model, std::int64_t wanted) {
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
  return fmt::format("opset {} -> {}: {} nodes were rewritten", done.before, wanted, done.nodes);
}

}  // namespace onnxpress::tasks

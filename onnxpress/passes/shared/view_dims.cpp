// Chooses one number per dim: a size, 0 or -1.
#include "onnxpress/passes/shared/view_dims.h"

namespace onnxpress::passes {

std::optional<std::vector<std::int64_t>> view_dims(const std::optional<ops::Shape>& from, const ops::Shape& to,
                                                   Rewriter& rw, bool copies) {
  std::vector<std::int64_t> dims;
  bool inferred = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (const auto size = to[i].size()) {
      if (*size <= 0) return std::nullopt;
      dims.push_back(*size);
    } else if (copies && from && i < from->size() && rw.dims().equal((*from)[i], to[i])) {
      dims.push_back(0);
    } else if (!inferred) {
      inferred = true;
      dims.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  return dims;
}

}  // namespace onnxpress::passes

// Broadcasting.
#include "onnxpress/ops/elementwise.h"

namespace onnxpress::ops {

std::optional<Sizes> broadcast_sizes(std::span<const Sizes* const> shapes) {
  std::size_t rank = 0;
  for (const Sizes* shape : shapes) rank = std::max(rank, shape->size());
  Sizes result(rank, 1);
  for (const Sizes* shape : shapes) {
    for (std::size_t i = 0; i < shape->size(); ++i) {
      std::int64_t& into = result[rank - shape->size() + i];
      const std::int64_t size = (*shape)[i];
      if (into == 1) {
        into = size;
      } else if (size != 1 && size != into) {
        return std::nullopt;
      }
    }
  }
  return result;
}

Walk::Walk(std::span<const std::int64_t> result, std::span<const Sizes* const> shapes) : strides(shapes.size()) {
  const std::size_t rank = result.size();
  std::vector<Sizes> full(shapes.size(), Sizes(rank, 0));
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Sizes& shape = *shapes[k];
    const Sizes own = strides_of(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1) full[k][rank - shape.size() + i] = own[i];
    }
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (result[axis] == 1) continue;
    bool merges = !sizes.empty();
    for (std::size_t k = 0; merges && k < shapes.size(); ++k)
      merges = strides[k].back() == full[k][axis] * result[axis];
    if (merges) {
      sizes.back() *= result[axis];
      for (std::size_t k = 0; k < shapes.size(); ++k) strides[k].back() = full[k][axis];
    } else {
      sizes.push_back(result[axis]);
      for (std::size_t k = 0; k < shapes.size(); ++k) strides[k].push_back(full[k][axis]);
    }
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    for (Sizes& each : strides) each.push_back(0);
  }
}

void infer_elements(Inference& in, const std::function<Dim(Dim, Dim)>& work) {
  if (in.result_count() == 0 || !in.elements(0) || !in.elements(1)) return;
  const auto a = in.operand(0).sizes(), b = in.operand(1).sizes();
  if (!a || !b) return;
  const Sizes* shapes[] = {&*a, &*b};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes || count_of(*sizes).value_or(kMostElementsKnown + 1) > kMostElementsKnown) return;
  std::vector<Dim> elements;
  const Walk walk(*sizes, shapes);
  walk.for_each_row([&](const Sizes& at) {
    for (std::int64_t i = 0; i < walk.sizes.back(); ++i) {
      elements.push_back(work((*in.elements(0))[static_cast<std::size_t>(at[0] + i * walk.strides[0].back())],
                              (*in.elements(1))[static_cast<std::size_t>(at[1] + i * walk.strides[1].back())]));
    }
  });
  in.set_elements(0, std::move(elements));
}

}  // namespace onnxpress::ops

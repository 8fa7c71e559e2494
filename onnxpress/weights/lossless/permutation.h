// Checks whether a tensor is another one with its axes in another order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace onnxpress::weights {

// How to get `to` from `from`: Reshape to `dims`, then Transpose by `order` (then Reshape to the dims of `to`). nullopt
// if that is not possible with an order of its own axes, or by swapping two groups of them.
struct Permutation {
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> order;
};
std::optional<Permutation> permutation_between(std::string_view from, std::span<const std::int64_t> from_dims,
                                               std::string_view to, std::span<const std::int64_t> to_dims,
                                               std::size_t width);

}  // namespace onnxpress::weights

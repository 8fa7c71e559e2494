// The tensor repeats along some axes: tiled masks, [cos, cos] tables.
//
//   before: w, dims [a, k * b], w[:, j] == w[:, j + b]
//   after:  w = Tile(w[:, 0:b], [1, k])
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossless/periods.h"
#include "onnxpress/weights/lossless/sub_tensor.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_periodic(const Candidate& tensor) {
  if (tensor.statistics().is_splat || !tensor.has_op("Tile", tensor.type())) return std::nullopt;
  const Periods periods = periods_of(tensor);
  if (!periods.any || periods.all_single) return std::nullopt;
  std::vector<std::int64_t> repeats;
  for (std::size_t axis = 0; axis < periods.lengths.size(); ++axis)
    repeats.push_back(tensor.dims()[axis] / static_cast<std::int64_t>(periods.lengths[axis]));
  ChainBuilder chain(tensor);
  const auto part = std::make_shared<SubTensor>(tensor, tensor.dims_vector(), one_period(tensor, periods));
  const auto stored = chain.constant(tensor.type(), part->dims(), part);
  chain.op("Tile", {stored, chain.integers(repeats)});
  return chain.finish();
}

}  // namespace

constinit const Encoding periodic = {
    .name = "periodic", .summary = "tensors that repeat along some axes", .find = find_periodic};

}  // namespace onnxpress::weights

// The tensor does not change along some axes: indices and masks that an exporter has expanded.
//
//   before: w, dims [a, b, c], equal for all i in w[i, :, :]
//   after:  w = Expand(w[0:1, :, :], [a, b, c])
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossless/periods.h"
#include "onnxpress/weights/lossless/sub_tensor.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_broadcast(const Candidate& tensor) {
  if (tensor.statistics().is_splat || !tensor.has_op("Expand", tensor.type())) return std::nullopt;
  const Periods periods = periods_of(tensor);
  if (!periods.any || !periods.all_single) return std::nullopt;
  ChainBuilder chain(tensor);
  const auto part = std::make_shared<SubTensor>(tensor, tensor.dims_vector(), one_period(tensor, periods));
  const auto stored = chain.constant(tensor.type(), part->dims(), part);
  chain.op("Expand", {stored, chain.integers(tensor.dims())});
  return chain.finish();
}

}  // namespace

constinit const Encoding broadcast = {
    .name = "broadcast", .summary = "tensors that do not change along some axes", .find = find_broadcast};

}  // namespace onnxpress::weights

// All elements are the same.
//
//   before: w, n elements
//   after:  w = ConstantOfShape(shape) <value = the element>, or w = Expand(the element, shape)
//
// Both copy the element's bits, so -0.0 and every nan stay what they are.
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_splat(const Candidate& tensor) {
  if (!tensor.statistics().is_splat || tensor.dims().empty()) return std::nullopt;
  const std::size_t width = tensor.bytes().size() / tensor.count();
  const Bytes element = Bytes::owned(std::string(tensor.bytes().view().substr(0, width)));
  ChainBuilder chain(tensor);
  if (tensor.has_op("ConstantOfShape", tensor.type())) {
    filled(chain, tensor.dims(), element);
  } else if (tensor.has_op("Expand", tensor.type())) {
    const auto scalar = chain.constant(tensor.type(), {}, element);
    chain.op("Expand", {scalar, chain.integers(tensor.dims())});
  } else {
    return std::nullopt;
  }
  return chain.finish();
}

}  // namespace

constinit const Encoding splat = {
    .name = "splat", .summary = "tensors whose elements are all the same", .find = find_splat};

}  // namespace onnxpress::weights

// A few different values: masks, weights rounded to levels, clustered weights.
//
//   before: w, n elements, at most 256 (16, 4, 2) different ones
//   after:  w = Gather(values, Cast(codes) <to = int32>), one byte per code; 4-, 2- and 1-bit codes are unpacked before
//
// Gather copies bits, so -0.0 and every nan stay what they are.
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossless/palette_codes.h"

namespace onnxpress::weights {

namespace {

int bits_for(std::size_t values) {
  int bits = 1;
  while ((std::size_t{1} << bits) < values) bits *= 2;
  return bits;
}

Chain::Ref values_of(ChainBuilder& chain, const Candidate& tensor) {
  const std::vector<std::uint64_t>& distinct = tensor.statistics().distinct;
  const std::size_t width = static_cast<std::size_t>(bits_of(tensor.type())) / 8;
  std::string values;
  for (const std::uint64_t bits : distinct) values.append(reinterpret_cast<const char*>(&bits), width);
  const auto count = static_cast<std::int64_t>(distinct.size());
  return chain.constant(tensor.type(), std::span(&count, 1), Bytes::owned(std::move(values)));
}

std::optional<Chain> find_palette(const Candidate& tensor) {
  const std::size_t values = tensor.statistics().distinct.size();
  if (values < 2 || values >= Statistics::kMostDistinct || !tensor.has_op("Gather", tensor.type())) return std::nullopt;
  const bool unpacks = tensor.has_op("BitShift", ElementType::kUint8) && tensor.has_op("Mod", ElementType::kUint8);
  const int bits = unpacks ? bits_for(values) : 8;
  if (bits >= bits_of(tensor.type())) return std::nullopt;
  ChainBuilder chain(tensor);
  const auto codes = std::make_shared<PaletteCodes>(tensor, tensor.statistics().distinct, bits);
  const auto palette = values_of(chain, tensor);
  Chain::Ref code = 0;
  if (bits == 8) {
    code = chain.constant(ElementType::kUint8, tensor.dims(), codes);
  } else {
    const std::int64_t row[] = {1, static_cast<std::int64_t>(codes->size())};
    code = unpack(chain, chain.constant(ElementType::kUint8, row, codes), bits, tensor.dims());
  }
  chain.op("Gather", {palette, cast(chain, code, ElementType::kInt32)});
  return chain.finish();
}

}  // namespace

constinit const Encoding palette = {
    .name = "palette", .summary = "tensors of at most 256, 16, 4 or 2 different values", .find = find_palette};

}  // namespace onnxpress::weights

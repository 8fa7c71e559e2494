// DequantizeLinear on constants: a standard form that converters for other runtimes recognize.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/core/op.h"
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/chain/quantized_chain.h"
#include "onnxpress/weights/lossy/code_stream.h"

namespace onnxpress::weights {

namespace {

const ops::Op* op_in(std::int64_t opset) { return ops::find_op("", "DequantizeLinear", opset); }

bool has_attribute(std::optional<std::int64_t> opset, std::string_view name) {
  const ops::Op* op = op_in(opset.value_or(0));
  return op && op->schema->attribute(name);
}

// The first opset whose DequantizeLinear has the attribute; without a name: the first that has the op.
std::int64_t first_opset(std::string_view attribute) {
  constexpr std::int64_t kMost = 64;
  for (std::int64_t opset = 1; opset < kMost; ++opset) {
    if (op_in(opset) && (attribute.empty() || has_attribute(opset, attribute))) return opset;
  }
  return kMost;
}

std::string floats_of(const Scales& scales) {
  std::string bytes(scales.size() * sizeof(float), '\0');
  scales.read(0, scales.size(), reinterpret_cast<float*>(bytes.data()));
  return bytes;
}

std::string packed_zeros(const Quantized& q, bool nibbles, bool is_signed) {
  std::string bytes;
  for (std::size_t i = 0; i < q.zeros.size(); ++i) {
    const unsigned zero = nibbles ? q.zeros.bits(i) ^ (is_signed ? 8U : 0U) : q.zeros.bits(i);
    if (nibbles && i % 2 == 1)
      bytes.back() = static_cast<char>(static_cast<unsigned char>(bytes.back()) | zero << 4);
    else
      bytes.push_back(static_cast<char>(zero));
  }
  return bytes;
}

}  // namespace

// 4-bit types came with the same opset as blocks.
int dequantized_bits(int bits, std::optional<std::int64_t> opset) {
  return bits <= 4 && has_attribute(opset, "block_size") ? 4 : 8;
}

bool dequantizes_channels(std::optional<std::int64_t> opset) { return has_attribute(opset, "axis"); }

std::string why_not_dequantized(const Scheme& scheme, std::optional<std::int64_t> opset) {
  const std::int64_t now = opset.value_or(0);
  const auto late = [now](std::string_view what, std::string_view attribute) {
    return fmt::format("{} came with opset {}, and the model has {}", what, first_opset(attribute), now);
  };
  if (!op_in(now)) return late("DequantizeLinear", "");
  if (scheme.codes != Codes::kInteger || has_attribute(opset, "block_size")) return {};
  if (scheme.block > 0) return late("DequantizeLinear with blocks", "block_size");
  // Before that opset, every code takes a byte.
  if (scheme.bits < 8 && scheme.levels == 0)
    return late("DequantizeLinear of codes with fewer than 8 bits", "block_size");
  return {};
}

std::optional<Chain> dequantize_chain(const Candidate& tensor, const std::shared_ptr<const Quantized>& quantized,
                                      const WeightRole& role) {
  const Quantized& q = *quantized;
  const Grid& grid = q.grid;
  const bool blocked = grid.sharing == Grid::Sharing::kBlock, by_axis = grid.sharing == Grid::Sharing::kChannel;
  const std::size_t begin = blocked ? role.reduced_begin : role.channel_begin;
  const std::size_t end = blocked ? role.reduced_end : role.channel_end;
  if (!q.is_affine() || q.scheme.bits > 8 || q.scheme.level_count() > 256 || q.zeros.is_half()) return std::nullopt;
  if (!ops::find_op("", "DequantizeLinear", tensor.opset().value_or(0))) return std::nullopt;
  if (blocked && (!has_attribute(tensor.opset(), "block_size") || end != begin + 1)) return std::nullopt;
  if (by_axis && (!has_attribute(tensor.opset(), "axis") || end != begin + 1)) return std::nullopt;
  const bool nibbles = q.scheme.bits == 4 && q.scheme.levels == 0 && dequantized_bits(4, tensor.opset()) == 4;
  // Without a zero point the codes are signed.
  const bool is_signed = q.zeros.empty();
  const ElementType type = nibbles ? (is_signed ? ElementType::kInt4 : ElementType::kUint4)
                                   : (is_signed ? ElementType::kInt8 : ElementType::kUint8);
  if (is_signed && !nibbles && q.middle != 128) return std::nullopt;

  ChainBuilder chain(tensor);
  const CodePart part{
      .bits = nibbles ? 4 : 8, .is_signed = is_signed, .order = CodePart::Order::kSequential, .padded = false};
  const auto codes = chain.constant(type, tensor.dims(), std::make_shared<CodeStream>(quantized, part));
  std::vector<std::int64_t> dims;
  if (by_axis) dims = {static_cast<std::int64_t>(grid.length)};
  if (blocked) {
    dims = tensor.dims_vector();
    dims[begin] = static_cast<std::int64_t>(grid.blocks);
  }
  const auto scales = chain.constant(ElementType::kFloat, dims, Bytes::owned(floats_of(q.scales)));
  std::vector<Chain::Ref> inputs = {codes, scales};
  if (!is_signed) inputs.push_back(chain.constant(type, dims, Bytes::owned(packed_zeros(q, nibbles, is_signed))));
  std::vector<Attribute*> attributes;
  if (blocked || by_axis) attributes.push_back(chain.attribute("axis", static_cast<std::int64_t>(begin)));
  if (blocked) attributes.push_back(chain.attribute("block_size", static_cast<std::int64_t>(grid.block)));
  const auto result = chain.op("DequantizeLinear", inputs, attributes);
  if (tensor.type() != ElementType::kFloat) cast(chain, result, tensor.type());
  return chain.finish();
}

}  // namespace onnxpress::weights

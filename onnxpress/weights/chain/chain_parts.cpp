// Small chains of two to five nodes.
#include "onnxpress/weights/chain/chain_parts.h"

#include <algorithm>

#include "onnxpress/ops/core/op.h"

namespace onnxpress::weights {

namespace {

template <typename T>
Chain::Ref stored(ChainBuilder& chain, ElementType type, std::span<const std::uint32_t> values,
                  std::span<const std::int64_t> dims) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    __builtin_memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return chain.constant(type, dims, Bytes::owned(std::move(bytes)));
}

std::uint64_t count_of(std::span<const std::int64_t> dims) {
  std::uint64_t count = 1;
  for (const std::int64_t dim : dims) count *= static_cast<std::uint64_t>(dim);
  return count;
}

}  // namespace

Chain::Ref indices(ChainBuilder& chain, std::span<const std::uint32_t> values, std::span<const std::int64_t> dims) {
  // With so few values, narrowing saves no more than the Cast costs.
  constexpr std::size_t kFew = 16;
  const std::uint32_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  const bool has_uint16 = chain.candidate().has_op("Cast", ElementType::kUint16);
  const bool has_uint8 = chain.candidate().has_op("Cast", ElementType::kUint8);
  if (values.size() <= kFew || most > 0xffff || !(most > 0xff ? has_uint16 : has_uint8))
    return stored<std::int32_t>(chain, ElementType::kInt32, values, dims);
  const Chain::Ref narrow = most > 0xff ? stored<std::uint16_t>(chain, ElementType::kUint16, values, dims)
                                        : stored<std::uint8_t>(chain, ElementType::kUint8, values, dims);
  return cast(chain, narrow, ElementType::kInt32);
}

Chain::Ref scalar(ChainBuilder& chain, std::int64_t value) {
  return chain.constant(ElementType::kInt64, {},
                        Bytes::owned(std::string(reinterpret_cast<const char*>(&value), sizeof value)));
}

Chain::Ref scalar_byte(ChainBuilder& chain, std::uint8_t value) {
  return chain.constant(ElementType::kUint8, {}, Bytes::owned(std::string(1, static_cast<char>(value))));
}

Chain::Ref filled(ChainBuilder& chain, std::span<const std::int64_t> dims, const Bytes& element) {
  const ElementType type = chain.candidate().type();
  const std::int64_t one = 1;
  std::vector<Attribute*> attributes;
  // By the standard, the default is a float32 zero. The schema does not say so.
  const bool is_default = type == ElementType::kFloat && element.view() == std::string_view("\0\0\0\0", 4);
  if (!is_default) attributes.push_back(chain.attribute("value", type, std::span(&one, 1), element));
  return chain.op("ConstantOfShape", {chain.integers(dims)}, std::move(attributes));
}

Chain::Ref cast(ChainBuilder& chain, Chain::Ref from, ElementType to) {
  return chain.op("Cast", {from}, {chain.attribute("to", static_cast<std::int64_t>(to))});
}

Chain::Ref reshape(ChainBuilder& chain, Chain::Ref from, std::span<const std::int64_t> dims) {
  return chain.op("Reshape", {from, chain.integers(dims)});
}

Chain::Ref positions(ChainBuilder& chain, std::int64_t first, std::int64_t count, std::int64_t step, std::size_t axis,
                     std::size_t rank) {
  const auto range =
      chain.op("Range", {scalar(chain, first), scalar(chain, first + count * step), scalar(chain, step)});
  if (axis + 1 == rank) return range;  // broadcasting adds the axes in front
  std::vector<std::int64_t> dims(rank - axis, 1);
  dims[0] = count;
  return reshape(chain, range, dims);
}

Chain::Ref first_of(ChainBuilder& chain, Chain::Ref from, std::int64_t count, std::int64_t axis) {
  const std::int64_t begin[] = {0}, end[] = {count}, axes[] = {axis};
  const ops::Op* op = ops::find_op("", "Slice", chain.candidate().opset().value_or(0));
  if (op && op->schema->attribute("starts")) {
    return chain.op("Slice", {from},
                    {chain.attribute("axes", axes), chain.attribute("ends", end), chain.attribute("starts", begin)});
  }
  if (axis == 0) return chain.op("Slice", {from, chain.integers(begin), chain.integers(end)});
  return chain.op("Slice", {from, chain.integers(begin), chain.integers(end), chain.integers(axes)});
}

namespace {

bool shifts_bits(const Candidate& candidate) {
  return candidate.has_op("BitShift", ElementType::kUint8) && candidate.has_op("Mod", ElementType::kUint8);
}

// A column of powers of two, or a scalar if there is only one.
Chain::Ref powers(ChainBuilder& chain, std::span<const float> values) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  const std::int64_t column[] = {static_cast<std::int64_t>(values.size()), 1};
  const std::span<const std::int64_t> dims = values.size() == 1 ? std::span<const std::int64_t>() : std::span(column);
  return chain.constant(ElementType::kFloat, dims, Bytes::owned(std::move(bytes)));
}

// floor(byte / 2^shift) minus the bits above the code. Floats hold all of these numbers exactly.
Chain::Ref apart_by_arithmetic(ChainBuilder& chain, Chain::Ref packed, int bits) {
  std::vector<float> halves;
  for (int shift = 0; shift < 8; shift += bits) halves.push_back(1.0F / static_cast<float>(1 << shift));
  const float step = static_cast<float>(1 << bits), back = 1 / step;
  const auto shifted =
      chain.op("Floor", {chain.op("Mul", {cast(chain, packed, ElementType::kFloat), powers(chain, halves)})});
  const auto above = chain.op("Floor", {chain.op("Mul", {shifted, powers(chain, std::span(&back, 1))})});
  const auto codes = chain.op("Sub", {shifted, chain.op("Mul", {above, powers(chain, std::span(&step, 1))})});
  return cast(chain, codes, ElementType::kUint8);
}

Chain::Ref apart_by_shifts(ChainBuilder& chain, Chain::Ref packed, int bits) {
  const std::int64_t column[] = {8 / bits, 1};
  std::string shifts;
  for (int shift = 0; shift < 8; shift += bits) shifts.push_back(static_cast<char>(shift));
  const auto shift = chain.constant(ElementType::kUint8, column, Bytes::owned(std::move(shifts)));
  const auto shifted = chain.op("BitShift", {packed, shift}, {chain.attribute("direction", "RIGHT")});
  return chain.op("Mod", {shifted, scalar_byte(chain, static_cast<std::uint8_t>(1 << bits))});
}

}  // namespace

bool can_unpack(const Candidate& candidate) {
  if (shifts_bits(candidate)) return true;
  for (const std::string_view op : {"Floor", "Mul", "Sub", "Cast"}) {
    if (!candidate.has_op(op, ElementType::kFloat)) return false;
  }
  // The first versions of Mul broadcast only if an attribute says so.
  return !ops::find_op("", "Mul", *candidate.opset())->schema->attribute("broadcast");
}

Chain::Ref unpack(ChainBuilder& chain, Chain::Ref packed, int bits, std::span<const std::int64_t> dims) {
  const std::int64_t per_byte = 8 / bits, flat[] = {-1};
  auto codes =
      shifts_bits(chain.candidate()) ? apart_by_shifts(chain, packed, bits) : apart_by_arithmetic(chain, packed, bits);
  const std::uint64_t count = count_of(dims);
  if (packed_bytes(count, bits) * static_cast<std::uint64_t>(per_byte) != count)
    codes = first_of(chain, reshape(chain, codes, flat), static_cast<std::int64_t>(count), 0);
  return reshape(chain, codes, dims);
}

}  // namespace onnxpress::weights

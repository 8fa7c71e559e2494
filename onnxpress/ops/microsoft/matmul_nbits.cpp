// Dequantizes blocks of weights, then multiplies or gathers.
#include "onnxpress/ops/microsoft/matmul_nbits.h"

#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/math/matmul_integer.h"

namespace onnxpress::ops {

namespace {

// Number i of a packed row. Numbers have 2, 4 or 8 bits; the lowest bits of a byte come first.
int bits_at(const std::uint8_t* row, std::size_t i, std::size_t bits) {
  const std::size_t per_byte = 8 / bits;
  return (row[i / per_byte] >> (i % per_byte * bits)) & ((1 << bits) - 1);
}

struct Blocks {
  std::size_t rows, depth, bits, block, per_row, row_bytes, zero_bytes;
};

std::optional<Blocks> blocks_of(const Params& params) {
  const std::int64_t n = params.integer_or("N", 0), k = params.integer_or("K", 0), bits = params.integer_or("bits", 4);
  const std::int64_t block = params.integer_or("block_size", 0);
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (n <= 0 || k <= 0 || block <= 0 || n > kMost || k > kMost || block > kMost) return std::nullopt;
  if (bits != 2 && bits != 4 && bits != 8) return std::nullopt;
  Blocks blocks{.rows = static_cast<std::size_t>(n),
                .depth = static_cast<std::size_t>(k),
                .bits = static_cast<std::size_t>(bits),
                .block = static_cast<std::size_t>(block)};
  blocks.per_row = (blocks.depth + blocks.block - 1) / blocks.block;
  if (blocks.block * blocks.bits % 8 != 0) return std::nullopt;
  blocks.row_bytes = blocks.per_row * (blocks.block * blocks.bits / 8);
  blocks.zero_bytes = (blocks.per_row * blocks.bits + 7) / 8;
  return blocks;
}

// The weights as floats, one row per output column; nullopt when the size of an operand does not match the blocks.
std::optional<Array> dequantized(const Blocks& blocks, const Array& packed, std::span<const float> scales,
                                 const Array& zeros, std::span<const std::int32_t> group) {
  const bool packed_zeros = zeros.type() == ElementType::kUint8;
  const std::vector<float> float_zeros = packed_zeros ? std::vector<float>() : scales_of(zeros);
  const bool no_zeros = zeros.type() == ElementType::kUndefined;
  if (packed.type() != ElementType::kUint8 || packed.count() != blocks.rows * blocks.row_bytes) return std::nullopt;
  if (scales.size() != blocks.rows * blocks.per_row || (!group.empty() && group.size() < blocks.depth))
    return std::nullopt;
  if (packed_zeros ? zeros.count() != blocks.rows * blocks.zero_bytes
                   : !no_zeros && float_zeros.size() != scales.size())
    return std::nullopt;
  for (const std::int32_t each : group) {
    if (each < 0 || static_cast<std::size_t>(each) >= blocks.per_row) return std::nullopt;
  }
  const Sizes sizes = {static_cast<std::int64_t>(blocks.rows), static_cast<std::int64_t>(blocks.depth)};
  if (!count_of(sizes)) return std::nullopt;
  Array result = Array::make<float>(sizes);
  float* to = result.mutable_data<float>().data();
  const std::uint8_t* from = packed.data<std::uint8_t>().data();
  for (std::size_t row = 0; row < blocks.rows; ++row, from += blocks.row_bytes) {
    for (std::size_t k = 0; k < blocks.depth; ++k) {
      const std::size_t in_row = group.empty() ? k / blocks.block : static_cast<std::size_t>(group[k]);
      const std::size_t at = row * blocks.per_row + in_row;
      auto zero = static_cast<float>(1 << (blocks.bits - 1));
      if (packed_zeros) {
        zero = static_cast<float>(
            bits_at(zeros.data<std::uint8_t>().data() + row * blocks.zero_bytes, in_row, blocks.bits));
      } else if (!no_zeros) {
        zero = float_zeros[at];
      }
      *to++ = (static_cast<float>(bits_at(from, k, blocks.bits)) - zero) * scales[at];
    }
  }
  return result;
}

}  // namespace

void infer_matmul_nbits(Inference& in) {
  const Shape* a = in.shape(0);
  const auto n = in.params.integer("N");
  if (!a || a->empty() || !n || !Dim::fits(*n)) return;
  Shape shape = *a;
  shape.back() = Dim::size(*n);
  in.set_shape(std::move(shape));
}

bool evaluate_matmul_nbits(Call& call) {
  const auto blocks = blocks_of(call.params);
  if (!blocks) return call.fail("N, K, bits or block_size is not supported");
  if (call.params.flag("weight_prepacked")) return call.fail("prepacked weights have no documented layout");
  const Array a = widened(call.array(0));
  if (a.type() != ElementType::kFloat) return call.fail_type();
  const Array& group = call.array(4);
  if (group.type() != ElementType::kUndefined && group.type() != ElementType::kInt32) return call.fail_type();
  const auto weights = dequantized(*blocks, call.array(1), scales_of(call.array(2)), call.array(3),
                                   call.has(4) ? group.data<std::int32_t>() : std::span<const std::int32_t>());
  if (!weights) return call.fail("the size of an operand does not match N, K, bits and block_size");
  const auto plan = plan_matmul(a.sizes(), weights->sizes(), false, true);
  if (!plan) return call.fail("operand A must have K columns");
  Array y = multiply(*plan, a, *weights);
  if (call.has(5)) {
    const std::vector<float> bias = scales_of(call.array(5));
    if (bias.size() != blocks->rows) return call.fail("bias must have N elements");
    const auto to = y.mutable_data<float>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += bias[i % bias.size()];
  }
  return call.done(narrowed(std::move(y), call.array(0).type()));
}

// --- GatherBlockQuantized

namespace {

// A uint8 holds 8 / bits numbers, packed along the last axis.
std::int64_t numbers_per_byte(const Params& params, ElementType type) {
  const std::int64_t bits = params.integer_or("bits", 4);
  if (type != ElementType::kUint8) return 1;
  return bits == 2 || bits == 4 ? 8 / bits : 1;
}

template <typename T>
bool gather_blocks(Call& call, std::size_t gather_axis, std::size_t quantize_axis) {
  const Array &data = call.array(0), &scales = call.array(2), &zeros = call.array(3);
  const std::vector<float> factors = scales_of(scales);
  const std::int64_t pack = numbers_per_byte(call.params, data.type()),
                     block = call.params.integer_or("block_size", 128);
  const auto bits = static_cast<std::size_t>(8 / pack);
  Sizes sizes = data.sizes();
  if (!count_of(sizes) || sizes.back() > (std::int64_t{1} << 60)) return call.fail("the data is too large");
  sizes.back() *= pack;
  Sizes scale_sizes = sizes;
  scale_sizes[quantize_axis] = (sizes[quantize_axis] + block - 1) / block;
  if (scales.sizes() != scale_sizes || factors.size() != scales.count())
    return call.fail("scales do not have one element per block");
  const bool has_zeros = zeros.type() != ElementType::kUndefined;
  Sizes zero_sizes = scale_sizes;
  zero_sizes.back() = (zero_sizes.back() + pack - 1) / pack;
  if (has_zeros && (zeros.type() != data.type() || zeros.sizes() != zero_sizes))
    return call.fail("zero points do not have one element per block");
  const auto indices = call.array(1).integers();
  if (!indices) return call.fail_type();
  Sizes result_sizes(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(gather_axis));
  result_sizes.insert(result_sizes.end(), call.array(1).sizes().begin(), call.array(1).sizes().end());
  result_sizes.insert(result_sizes.end(), sizes.begin() + static_cast<std::ptrdiff_t>(gather_axis) + 1, sizes.end());
  if (!count_of(result_sizes)) return call.fail("the result is too large");

  const auto number = [&](const Array& array, std::size_t i) {
    if (array.type() != ElementType::kUint8) return static_cast<int>(array.data<T>()[i]);
    const auto columns = static_cast<std::size_t>(&array == &data ? sizes.back() : scale_sizes.back());
    const auto row_bytes = static_cast<std::size_t>(array.sizes().back());
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(array.bytes());
    return bits_at(bytes + i / columns * row_bytes, i % columns, bits);
  };
  const int default_zero = data.type() == ElementType::kUint8 ? 1 << (bits - 1) : 0;
  const Sizes strides = strides_of(sizes), scale_strides = strides_of(scale_sizes);
  Array result = Array::make<float>(result_sizes);
  const std::int64_t length = strides[gather_axis], axis_size = sizes[gather_axis];
  const auto outer = static_cast<std::int64_t>(result.count()) /
                     std::max<std::int64_t>(1, length * static_cast<std::int64_t>(indices->size()));
  float* to = result.mutable_data<float>().data();
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t index : *indices) {
      if (index < 0) index += axis_size;
      if (index < 0 || index >= axis_size) return call.fail("an index is out of range");
      for (std::int64_t k = 0; k < length; ++k) {
        const std::int64_t at = (i * axis_size + index) * length + k;
        std::int64_t scale_at = 0, rest = at;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
          const std::int64_t coordinate = rest / strides[axis];
          rest %= strides[axis];
          scale_at += (axis == quantize_axis ? coordinate / block : coordinate) * scale_strides[axis];
        }
        const auto place = static_cast<std::size_t>(scale_at);
        const int zero = has_zeros ? number(zeros, place) : default_zero;
        *to++ = static_cast<float>(number(data, static_cast<std::size_t>(at)) - zero) * factors[place];
      }
    }
  }
  return call.done(narrowed(std::move(result), scales.type()));
}

}  // namespace

void infer_gather_block_quantized(Inference& in) {
  const Shape *data = in.shape(0), *indices = in.shape(1);
  if (!data || !indices || data->empty()) return;
  const auto axis = normal_axis(in.params.integer_or("gather_axis", 0), data->size());
  const ElementType type = in.operand(0).element;
  if (!axis || type == ElementType::kUndefined) return;
  Shape whole = *data;
  whole.back() = in.dims.mul(whole.back(), Dim::size(numbers_per_byte(in.params, type)));
  Shape shape(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), whole.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, whole.end());
  in.set_shape(std::move(shape));
}

bool evaluate_gather_block_quantized(Call& call) {
  const Array& data = call.array(0);
  const auto gather_axis = normal_axis(call.params.integer_or("gather_axis", 0), data.rank());
  const auto quantize_axis = normal_axis(call.params.integer_or("quantize_axis", 1), data.rank());
  if (!gather_axis || !quantize_axis) return call.fail("an axis is out of range");
  if (call.params.integer_or("block_size", 128) <= 0) return call.fail("block_size must be positive");
  if (*gather_axis + 1 == data.rank() && numbers_per_byte(call.params, data.type()) != 1)
    return call.fail("packed numbers cannot be gathered along the axis that is packed");
  switch (data.type()) {
    case ElementType::kUint8:
      return gather_blocks<std::uint8_t>(call, *gather_axis, *quantize_axis);
    case ElementType::kInt4:
      return gather_blocks<Int4>(call, *gather_axis, *quantize_axis);
    case ElementType::kUint4:
      return gather_blocks<Uint4>(call, *gather_axis, *quantize_axis);
    default:
      return call.fail_type();
  }
}

}  // namespace onnxpress::ops

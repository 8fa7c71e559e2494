// RotaryEmbedding of ai.onnx and of com.microsoft.
#include "onnxpress/ops/nn/rotary_embedding.h"

#include "onnxpress/ops/kernels/attention_kernel.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

bool Rotation::fits(std::int64_t head_size) const {
  return cosines.type() == ElementType::kFloat && sines.type() == ElementType::kFloat && cosines.rank() == 2 &&
         cosines.sizes() == sines.sizes() && cosines.size(1) <= head_size / 2;
}

void Rotation::turn(std::size_t position, std::span<float> head) const {
  const float* cosine = cosines.data<float>().data() + position * half();
  const float* sine = sines.data<float>().data() + position * half();
  for (std::size_t i = 0; i < half(); ++i) {
    float& a = head[interleaved ? 2 * i : i];
    float& b = head[interleaved ? 2 * i + 1 : half() + i];
    const float real = cosine[i] * a - sine[i] * b, imaginary = sine[i] * a + cosine[i] * b;
    a = real;
    b = imaginary;
  }
}

namespace {

// Rotates every head of x, which is [batch, heads, sequence, size]; false when a position is not in the tables.
// `positions` has one entry per batch and place in the sequence.
bool turn_all(const Rotation& rotation, std::span<const std::int64_t> positions, Array& x) {
  const auto heads = static_cast<std::size_t>(x.size(1)), length = static_cast<std::size_t>(x.size(2));
  const auto size = static_cast<std::size_t>(x.size(3));
  const auto data = x.mutable_data<float>();
  if (data.empty()) return true;
  for (std::size_t i = 0; i < data.size() / size; ++i) {
    const std::int64_t position = positions[i / (heads * length) * length + i % length];
    if (position < 0 || position >= rotation.cosines.size(0)) return false;
    rotation.turn(static_cast<std::size_t>(position), data.subspan(i * size, size));
  }
  return true;
}

// A copy of x as floats, [batch, heads, sequence, size]; nullopt when it does not match the number of heads.
std::optional<Array> heads_of(const Array& given, std::int64_t heads) {
  const Array wide = widened(given);
  if (wide.type() != ElementType::kFloat) return std::nullopt;
  if (wide.rank() == 3) {
    if (heads < 1 || wide.size(2) % heads != 0) return std::nullopt;
    return split_heads(wide, heads);
  }
  if (wide.rank() != 4) return std::nullopt;
  Array copy = Array::make<float>(wide.sizes());
  std::copy(wide.data<float>().begin(), wide.data<float>().end(), copy.mutable_data<float>().begin());
  return copy;
}

bool finish(Call& call, const Array& given, Array turned) {
  if (given.rank() == 3) turned = merged_heads(turned);
  return call.done(narrowed(std::move(turned), given.type()));
}

}  // namespace

bool evaluate_rotary_embedding(Call& call) {
  const Array& given = call.array(0);
  auto x = heads_of(given, call.params.integer_or("num_heads", 0));
  if (!x) return call.fail("X must be floats of three dimensions (with num_heads) or four");
  Rotation rotation{widened(call.array(1)), widened(call.array(2)), call.params.flag("interleaved")};
  const std::int64_t batch = x->size(0), length = x->size(2);
  std::vector<std::int64_t> positions(static_cast<std::size_t>(batch * length));
  if (call.has(3)) {
    const auto ids = call.array(3).integers();
    if (!ids || ids->size() != positions.size()) return call.fail("position_ids is not [batch, sequence]");
    positions = *ids;
  } else {
    // Without position_ids, the tables hold one row per place: [batch, sequence, half].
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
    for (Array* table : {&rotation.cosines, &rotation.sines}) {
      if (table->rank() != 3 || table->size(0) != batch || table->size(1) != length)
        return call.fail("cos_cache and sin_cache must be [batch, sequence, half] without position_ids");
      *table = table->reshaped({batch * length, table->size(2)});
    }
  }
  const std::int64_t part = call.params.integer_or("rotary_embedding_dim", 0);
  const std::int64_t turned = part > 0 ? part : x->size(3);
  if (!rotation.fits(x->size(3)) || rotation.cosines.size(1) != turned / 2)
    return call.fail("cos_cache and sin_cache do not match the size of the heads");
  if (!turn_all(rotation, positions, *x)) return call.fail("a position is not in cos_cache");
  return finish(call, given, std::move(*x));
}

bool evaluate_microsoft_rotary_embedding(Call& call) {
  const Array& given = call.array(0);
  if (call.params.flag("is_packed_batching")) return call.fail("packed batching is not supported");
  const Rotation rotation{widened(call.array(2)), widened(call.array(3)), call.params.flag("interleaved")};
  if (rotation.cosines.rank() != 2) return call.fail("cos_cache must have two dimensions");
  std::int64_t heads = call.params.integer_or("num_heads", 0);
  // Without num_heads, each head is rotated as a whole, so the tables determine its size.
  if (given.rank() == 3 && heads == 0 && rotation.cosines.size(1) > 0)
    heads = given.size(2) / (2 * rotation.cosines.size(1));
  auto x = heads_of(given, heads);
  if (!x) return call.fail("input must be floats of three or four dimensions that match num_heads");
  const auto ids = call.array(1).integers();
  std::vector<std::int64_t> positions(static_cast<std::size_t>(x->size(0) * x->size(2)));
  if (!ids || (ids->size() != 1 && ids->size() != positions.size()))
    return call.fail("position_ids is neither one offset nor [batch, sequence]");
  const bool offset = call.array(1).rank() < 2;
  for (std::size_t i = 0; i < positions.size(); ++i)
    positions[i] = offset ? (*ids)[0] + static_cast<std::int64_t>(i) % x->size(2) : (*ids)[i % ids->size()];
  if (!rotation.fits(x->size(3))) return call.fail("cos_cache and sin_cache do not match the size of the heads");
  if (!turn_all(rotation, positions, *x)) return call.fail("a position is not in cos_cache");
  return finish(call, given, std::move(*x));
}

}  // namespace onnxpress::ops

// BitCast.
#include "onnxpress/ops/math/bit_cast.h"

#include <fmt/format.h>

#include <cstring>

namespace onnxpress::ops {

namespace {

// kUndefined when `to` is missing or not a known type.
ElementType target_of(const Params& params) {
  const std::int64_t to = params.integer_or("to", 0);
  const auto type = static_cast<ElementType>(to > 0 && to < kElementTypeCount ? to : 0);
  return is_known(type) ? type : ElementType::kUndefined;
}

}  // namespace

void infer_bit_cast(Inference& in) {
  in.same_as(0, 0);
  const ElementType to = target_of(in.params), from = in.operand(0).element;
  if (to == ElementType::kUndefined) return;
  if (is_known(from) && bits_of(from) != 0 && bits_of(to) != 0 && bits_of(from) != bits_of(to))
    return in.contradict(fmt::format("{} and {} do not have the same number of bits", name_of(from), name_of(to)));
  in.set_element(0, to);
}

bool evaluate_bit_cast(Call& call) {
  const Array& x = call.array(0);
  const ElementType to = target_of(call.params);
  const int bits = bits_of(to);
  if (bits == 0 || bits != bits_of(x.type())) return call.fail("the types do not have the same number of bits");
  Array y = Array::make(to, x.sizes());
  std::memcpy(y.mutable_bytes(), x.bytes(), x.count() * x.width());
  if (bits < 8) {  // one element per byte: sign-extend signed types, clear the high bits of others
    const bool is_signed = to == ElementType::kInt4 || to == ElementType::kInt2;
    auto* bytes = reinterpret_cast<std::uint8_t*>(y.mutable_bytes());
    for (std::size_t i = 0; i < y.count(); ++i) {
      const auto low = static_cast<std::uint8_t>(bytes[i] & ((1U << bits) - 1));
      bytes[i] = is_signed ? static_cast<std::uint8_t>(sign_extended(low, bits)) : low;
    }
  }
  return call.done(std::move(y));
}

}  // namespace onnxpress::ops

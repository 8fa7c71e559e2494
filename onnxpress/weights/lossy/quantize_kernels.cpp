// Kernels of quantize_kernels.h, compiled once per kind of processor by Highway and chosen at run time.
//
// Files must have the same bytes whatever processor made them, so sums have the same last digits everywhere: there are
// always kSums of them side by side, added up in one order, and products are rounded before they are added (the build
// also forbids the compiler to fuse the two). Shorter vectors walk over the row several times.
#include "onnxpress/weights/lossy/quantize_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onnxpress/weights/lossy/quantize_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onnxpress::weights::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
constexpr std::size_t kSums = 16;
using F = hn::CappedTag<float, kSums>;
using V = hn::Vec<F>;
using W = hn::Rebind<std::uint16_t, F>;

// The short vector at the end of a row is padded with zeros, which change no sum.
HWY_INLINE V load(F d, const float* x, std::size_t left) {
  if (left >= hn::Lanes(d)) return hn::LoadU(d, x);
  HWY_ALIGN float edge[HWY_MAX_BYTES / sizeof(float)] = {};
  std::memcpy(edge, static_cast<const void*>(x), left * sizeof(float));
  return hn::Load(d, edge);
}

HWY_INLINE V multiply_add(V a, V b, V sum) { return hn::Add(hn::Mul(a, b), sum); }

HWY_INLINE double total(const float* sums) {
  double all = 0;
  for (std::size_t i = 0; i < kSums; ++i) all += static_cast<double>(sums[i]);
  return all;
}

HWY_INLINE void add_range(const float* x, std::size_t count, RowRange& found) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const V most = hn::Set(d, hwy::HighestValue<float>());
  V low = hn::Zero(d), high = low;
  HWY_ALIGN float squares[kSums];
  std::size_t finite = 0, zeros = 0, seen = 0;
  for (std::size_t part = 0; part < kSums; part += lanes) {
    V sum = hn::Zero(d);
    for (std::size_t i = part; i < count; i += kSums) {
      V v = load(d, x + i, count - i);
      const auto ok = hn::Le(hn::Abs(v), most);  // false for nan and infinities
      finite += hn::CountTrue(d, ok);
      zeros += hn::CountTrue(d, hn::Eq(v, hn::Zero(d)));
      v = hn::IfThenElseZero(ok, v);
      low = hn::Min(low, v), high = hn::Max(high, v);
      sum = multiply_add(v, v, sum);
      seen += lanes;
    }
    hn::Store(sum, d, squares + part);
  }
  const std::size_t filled = seen - count;
  found.finite += finite - filled, found.zeros += zeros - filled;
  found.low = HWY_MIN(found.low, hn::GetLane(hn::MinOfLanes(d, low)));
  found.high = HWY_MAX(found.high, hn::GetLane(hn::MaxOfLanes(d, high)));
  found.squares += total(squares);
}

RowRange range(const float* x, std::size_t count) {
  RowRange found;
  for (std::size_t i = 0; i < count; i += kMostSummed) add_range(x + i, HWY_MIN(kMostSummed, count - i), found);
  return found;
}

CodeSums sums(const float* x, std::size_t count, float inverse, float offset, float low, float high) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const V factor = hn::Set(d, inverse), shift = hn::Set(d, offset), least = hn::Set(d, low), most = hn::Set(d, high);
  HWY_ALIGN float q_sums[kSums], qq_sums[kSums], xq_sums[kSums], x_sums[kSums];
  for (std::size_t part = 0; part < kSums; part += lanes) {
    V sq = hn::Zero(d), sqq = sq, sxq = sq, sx = sq;
    std::size_t i = part;
    const auto add = [&](V v, V q) HWY_ATTR {
      sq = hn::Add(sq, q), sqq = multiply_add(q, q, sqq), sxq = multiply_add(v, q, sxq), sx = hn::Add(sx, v);
    };
    for (; i + lanes <= count; i += kSums) {
      const V v = hn::LoadU(d, x + i);
      add(v, hn::Clamp(hn::Round(multiply_add(v, factor, shift)), least, most));
    }
    if (i < count) {
      const V v = load(d, x + i, count - i);
      const V q = hn::Clamp(hn::Round(multiply_add(v, factor, shift)), least, most);
      add(v, hn::IfThenElseZero(hn::FirstN(d, count - i), q));
    }
    hn::Store(sq, d, q_sums + part), hn::Store(sqq, d, qq_sums + part);
    hn::Store(sxq, d, xq_sums + part), hn::Store(sx, d, x_sums + part);
  }
  return {total(q_sums), total(qq_sums), total(xq_sums), total(x_sums)};
}

HWY_INLINE void store(F d, V codes, std::uint16_t* to, std::size_t left) {
  const hn::RebindToSigned<F> whole;
  const W narrow;
  const auto packed = hn::DemoteTo(narrow, hn::ConvertTo(whole, codes));
  if (left >= hn::Lanes(d)) return hn::StoreU(packed, narrow, to);
  HWY_ALIGN std::uint16_t edge[HWY_MAX_BYTES / sizeof(float)];
  hn::StoreU(packed, narrow, edge);
  for (std::size_t i = 0; i < left; ++i) to[i] = edge[i];
}

// The fraction of a zero point is added before rounding, so a whole zero point does not change how x is rounded.
HWY_INLINE V code_of(F d, V v, V inverse, V zero, V most) {
  const V whole = hn::Floor(zero);
  return hn::Clamp(hn::Add(hn::Round(multiply_add(v, inverse, hn::Sub(zero, whole))), whole), hn::Zero(d), most);
}

void encode(const float* x, std::size_t count, float inverse, float zero, float high, std::uint16_t* codes) {
  const F d;
  const V factor = hn::Set(d, inverse), shift = hn::Set(d, zero), most = hn::Set(d, high);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    store(d, code_of(d, load(d, x + i, count - i), factor, shift, most), codes + i, count - i);
}

void encode_each(const float* x, std::size_t count, const float* inverses, const float* zeros, float high,
                 std::uint16_t* codes) {
  const F d;
  const V most = hn::Set(d, high);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const std::size_t left = count - i;
    const V code = code_of(d, load(d, x + i, left), load(d, inverses + i, left), load(d, zeros + i, left), most);
    store(d, code, codes + i, left);
  }
}

HWY_INLINE V widened(F d, const std::uint16_t* codes, std::size_t left) {
  const hn::RebindToSigned<F> whole;
  const W narrow;
  if (left >= hn::Lanes(d)) return hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(narrow, codes)));
  HWY_ALIGN std::uint16_t edge[HWY_MAX_BYTES / sizeof(float)] = {};
  for (std::size_t i = 0; i < left; ++i) edge[i] = codes[i];
  return hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(narrow, edge)));
}

HWY_INLINE void put(F d, V v, float* to, std::size_t left) {
  if (left >= hn::Lanes(d)) return hn::StoreU(v, d, to);
  HWY_ALIGN float edge[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, d, edge);
  for (std::size_t i = 0; i < left; ++i) to[i] = edge[i];
}

void decode(const std::uint16_t* codes, std::size_t count, float scale, float zero, float* x) {
  const F d;
  const V factor = hn::Set(d, scale), shift = hn::Set(d, zero);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    put(d, hn::Mul(hn::Sub(widened(d, codes + i, count - i), shift), factor), x + i, count - i);
}

void decode_each(const std::uint16_t* codes, std::size_t count, const float* scales, const float* zeros, float* x) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const std::size_t left = count - i;
    const V centred = hn::Sub(widened(d, codes + i, left), load(d, zeros + i, left));
    put(d, hn::Mul(centred, load(d, scales + i, left)), x + i, left);
  }
}

void bits(const std::uint16_t* codes, std::size_t count, const BitField& field, std::uint8_t* to) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  const auto mask = hn::Set(d, field.mask), flip = hn::Set(d, field.flip);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto part = hn::Xor(hn::And(hn::ShiftRightSame(hn::LoadU(d, codes + i), field.shift), mask), flip);
    // At most 255, so demoting changes nothing.
    const auto placed =
        hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<decltype(d)>(), hn::ShiftLeftSame(part, field.place)));
    hn::StoreU(hn::Or(hn::LoadU(narrow, to + i), placed), narrow, to + i);
  }
  for (; i < count; ++i) {
    const unsigned part = ((static_cast<unsigned>(codes[i]) >> field.shift) & field.mask) ^ field.flip;
    to[i] = static_cast<std::uint8_t>(to[i] | part << field.place);
  }
}

void widen(const char* halves, std::size_t count, float* to) {
  const F d;
  const hn::Rebind<hwy::float16_t, F> narrow;
  const W bits;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN std::uint16_t room[HWY_MAX_BYTES / sizeof(float)] = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t part = count - i < lanes ? count - i : lanes;
    std::memcpy(room, halves + i * sizeof(std::uint16_t), part * sizeof(std::uint16_t));
    put(d, hn::PromoteTo(d, hn::BitCast(narrow, hn::LoadU(bits, room))), to + i, part);
  }
}

void inverses(const float* x, std::size_t count, float* to) {
  const F d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V v = load(d, x + i, count - i);
    put(d, hn::IfThenZeroElse(hn::Eq(v, hn::Zero(d)), hn::Div(hn::Set(d, 1.0F), v)), to + i, count - i);
  }
}

RowError differ(const float* x, const float* y, std::size_t count) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  V largest = hn::Zero(d), largest_x = largest;
  HWY_ALIGN float noises[kSums], signals[kSums], kept_ones[kSums];
  for (std::size_t part = 0; part < kSums; part += lanes) {
    V noise = hn::Zero(d), signal = noise, kept = noise;
    for (std::size_t i = part; i < count; i += kSums) {
      const V before = load(d, x + i, count - i), after = load(d, y + i, count - i), off = hn::Sub(before, after);
      noise = multiply_add(off, off, noise);
      signal = multiply_add(before, before, signal);
      kept = multiply_add(after, after, kept);
      largest = hn::Max(largest, hn::Abs(off)), largest_x = hn::Max(largest_x, hn::Abs(before));
    }
    hn::Store(noise, d, noises + part), hn::Store(signal, d, signals + part), hn::Store(kept, d, kept_ones + part);
  }
  return {total(noises), total(signals), total(kept_ones), hn::GetLane(hn::MaxOfLanes(d, largest)),
          hn::GetLane(hn::MaxOfLanes(d, largest_x))};
}

}  // namespace onnxpress::weights::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onnxpress::weights {

HWY_EXPORT(range);
HWY_EXPORT(sums);
HWY_EXPORT(encode);
HWY_EXPORT(encode_each);
HWY_EXPORT(decode);
HWY_EXPORT(decode_each);
HWY_EXPORT(bits);
HWY_EXPORT(widen);
HWY_EXPORT(inverses);
HWY_EXPORT(differ);

RowRange range_of(const float* x, std::size_t count) { return HWY_DYNAMIC_DISPATCH(range)(x, count); }
CodeSums sums_of(const float* x, std::size_t count, float inverse, float offset, float low, float high) {
  return HWY_DYNAMIC_DISPATCH(sums)(x, count, inverse, offset, low, high);
}
void encode_row(const float* x, std::size_t count, float inverse, float zero, float high, std::uint16_t* codes) {
  HWY_DYNAMIC_DISPATCH(encode)(x, count, inverse, zero, high, codes);
}
void encode_row(const float* x, std::size_t count, const float* inverses, const float* zeros, float high,
                std::uint16_t* codes) {
  HWY_DYNAMIC_DISPATCH(encode_each)(x, count, inverses, zeros, high, codes);
}
void decode_row(const std::uint16_t* codes, std::size_t count, float scale, float zero, float* x) {
  HWY_DYNAMIC_DISPATCH(decode)(codes, count, scale, zero, x);
}
void decode_row(const std::uint16_t* codes, std::size_t count, const float* scales, const float* zeros, float* x) {
  HWY_DYNAMIC_DISPATCH(decode_each)(codes, count, scales, zeros, x);
}
void add_bits(const std::uint16_t* codes, std::size_t count, const BitField& field, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(bits)(codes, count, field, to);
}
void widen_halves(const char* halves, std::size_t count, float* to) { HWY_DYNAMIC_DISPATCH(widen)(halves, count, to); }
void invert(const float* x, std::size_t count, float* to) { HWY_DYNAMIC_DISPATCH(inverses)(x, count, to); }
RowError difference(const float* x, const float* y, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(differ)(x, y, count);
}

}  // namespace onnxpress::weights
#endif

// Quantizes a weight: collects the elements that share a scale, adjacent or not, and lets the chosen method find it.
#include "onnxpress/weights/lossy/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "onnxpress/base/small_float.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kMostSampled = std::size_t{1} << 16;
constexpr std::size_t kTile = 16;  // groups side by side that are read together: a cache line of floats

using Take = std::function<void(std::uint64_t group, const Group&)>;

// Up to `width` groups whose elements are side by side in `rows` rows: row r begins at first + r * stride.
struct Tile {
  std::uint64_t group, first, rows, stride;
  std::size_t width, run;  // if width > 1, run is 1; otherwise a row has `run` elements of the one group
};

class Gatherer {
 public:
  Gatherer(const FloatSource& source, const Take& take) : source_(source), take_(take) {}

  void gather(const Tile& tile) {
    const std::uint64_t elements = tile.rows * tile.run;
    const std::uint64_t skip = std::max<std::uint64_t>(1, (elements + kMostSampled - 1) / kMostSampled);
    if (skip > 1) return gather_sample(tile, skip);
    if (tile.rows == 1 && tile.width == 1) {
      row_.resize(tile.run);
      const float* x = source_.view(tile.first, tile.run, row_.data());
      if (std::bit_cast<std::uintptr_t>(x) % alignof(float) == 0) {
        const RowRange range = range_of(x, tile.run);
        return take_(tile.group, {{x, tile.run}, range.low, range.high, range.squares, range.zeros > 0});
      }
    }
    columns_.resize(elements * tile.width);
    row_.resize(std::max<std::size_t>(tile.width, tile.run));
    for (std::uint64_t r = 0; r < tile.rows; ++r) {
      float* to = columns_.data() + r * tile.run;
      if (tile.width == 1) {
        source_.read(tile.first + r * tile.stride, tile.run, to);
        continue;
      }
      source_.read(tile.first + r * tile.stride, tile.width, row_.data());
      for (std::size_t c = 0; c < tile.width; ++c) columns_[c * elements + r] = row_[c];
    }
    for (std::size_t c = 0; c < tile.width; ++c) {
      const std::span<const float> x = std::span(columns_).subspan(c * elements, elements);
      const RowRange range = range_of(x.data(), x.size());
      take_(tile.group + c, {x, range.low, range.high, range.squares, range.zeros > 0});
    }
  }

 private:
  // Takes the range of all elements, and every `skip`-th element.
  void gather_sample(const Tile& tile, std::uint64_t skip) {
    row_.resize(kMostSummed);
    for (std::size_t c = 0; c < tile.width; ++c) {
      columns_.clear();
      RowRange all;
      std::uint64_t next = 0, at = 0;
      for (std::uint64_t r = 0; r < tile.rows; ++r) {
        for (std::size_t begin = 0; begin < tile.run; begin += kMostSummed) {
          const std::size_t count = std::min(kMostSummed, tile.run - begin);
          source_.read(tile.first + r * tile.stride + c + begin, count, row_.data());
          const RowRange range = range_of(row_.data(), count);
          all.low = std::min(all.low, range.low), all.high = std::max(all.high, range.high), all.zeros += range.zeros;
          for (; next < at + count; next += skip) columns_.push_back(row_[next - at]);
          at += count;
        }
      }
      take_(tile.group + c,
            {columns_, all.low, all.high, range_of(columns_.data(), columns_.size()).squares, all.zeros > 0});
    }
  }

  const FloatSource& source_;
  const Take& take_;
  std::vector<float> columns_, row_;
};

// Walks over the groups in the order of the elements, as far as possible, and releases pages that it is done with.
class GroupWalk {
 public:
  GroupWalk(const FloatSource& source, const Grid& grid, const Take& take)
      : source_(source), grid_(grid), gatherer_(source, take), is_large_(source.count() > kLarge) {}

  void run() {
    switch (grid_.sharing) {
      case Grid::Sharing::kTensor:
        return gatherer_.gather({0, 0, 1, 0, 1, static_cast<std::size_t>(grid_.count())});
      case Grid::Sharing::kChannel:
        return channels();
      case Grid::Sharing::kBlock:
        return blocks();
    }
  }

 private:
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 24;  // elements
  static constexpr std::size_t kWideTile = 256;                    // for large tensors: fewer walks over all pages

  void channels() {
    const std::uint64_t stride = grid_.length * grid_.inner;
    const std::size_t width = grid_.inner > 1 ? 1 : is_large_ ? kWideTile : kTile;
    for (std::uint64_t l = 0; l < grid_.length; l += width) {
      gatherer_.gather({l, l * grid_.inner, grid_.outer, stride, std::min<std::size_t>(width, grid_.length - l),
                        static_cast<std::size_t>(grid_.inner)});
      if (grid_.outer == 1)
        seen_up_to((l + 1) * grid_.inner);
      else if (is_large_)
        source_.release(0, source_.count());
    }
  }

  void blocks() {
    for (std::uint64_t b = 0; b < grid_.outer * grid_.blocks; ++b) {
      const std::uint64_t o = b / grid_.blocks, begin = b % grid_.blocks * grid_.block;
      const std::uint64_t rows = begin < grid_.length ? std::min(grid_.block, grid_.length - begin) : 0;
      const std::uint64_t first = (o * grid_.length + begin) * grid_.inner;
      if (rows == 0) continue;
      if (grid_.inner == 1) {
        gatherer_.gather({b, first, 1, 0, 1, static_cast<std::size_t>(rows)});
      } else {
        for (std::uint64_t i = 0; i < grid_.inner; i += kTile)
          gatherer_.gather(
              {b * grid_.inner + i, first + i, rows, grid_.inner, std::min<std::size_t>(kTile, grid_.inner - i), 1});
      }
      seen_up_to(first + rows * grid_.inner);
    }
  }

  void seen_up_to(std::uint64_t end) {
    constexpr std::uint64_t kPart = std::uint64_t{1} << 20;
    if (!is_large_ || end - seen_ < kPart) return;
    source_.release(seen_, end - seen_);
    seen_ = end;
  }

  const FloatSource& source_;
  const Grid& grid_;
  Gatherer gatherer_;
  bool is_large_;
  std::uint64_t seen_ = 0;
};

void for_each_group(const FloatSource& source, const Grid& grid, const Take& take) {
  GroupWalk(source, grid, take).run();
}

// Scales as float16 take half the space and cost no quality, because codes are chosen for the rounded scale. Not used
// if a scale is too small or too large for float16, or if codes have more digits than it.
Scales stored_scales(std::span<const float> scales, const Scheme& scheme) {
  constexpr std::size_t kFew = 24;  // the Cast takes about as many bytes as it saves
  constexpr float kLeast = 0x1p-14F, kMost = 65504;
  const bool fits = std::all_of(scales.begin(), scales.end(), [](float scale) {
    return scale == 0 || (std::abs(scale) >= kLeast && std::abs(scale) <= kMost);
  });
  return {scales, fits && scheme.bits <= 8 && scheme.levels == 0 && scales.size() >= kFew};
}

GroupScale scale_of(const Group& group, const Scheme& scheme) {
  const std::uint32_t middle = scheme.level_count() / 2;
  if (group.low == 0 && group.high == 0) return {0, static_cast<float>(middle)};
  if (scheme.bits > 8 || scheme.levels != 0) return scale_by_min_max(group, scheme);
  switch (scheme.method) {
    case ScaleMethod::kMinMax:
      return scale_by_min_max(group, scheme);
    case ScaleMethod::kMse:
      return scale_by_mse(group, scheme);
    case ScaleMethod::kLeastSquares:
      return scale_by_least_squares(group, scheme);
    case ScaleMethod::kHqq:
      break;
  }
  return scale_by_hqq(group, scheme);
}

// Fills the table, and returns the scales.
std::vector<float> set_table(Quantized& result) {
  if (result.scheme.codes == Codes::kPalette) {
    result.table = palette_of(*result.source, std::size_t{1} << result.scheme.bits);
    return {1};
  }
  const auto values = result.scheme.codes == Codes::kNf4 ? nf4_values() : float8_values();
  result.table.assign(values.begin(), values.end());
  std::vector<float> scales(result.grid.groups(), 0);
  for_each_group(*result.source, result.grid, [&](std::uint64_t group, const Group& found) {
    scales[group] = std::max(found.high, -found.low) / result.table.back();
  });
  return scales;
}

// Fills the zero points, and returns the scales.
std::vector<float> set_zeros(Quantized& result) {
  const Scheme& scheme = result.scheme;
  std::vector<float> scales(result.grid.groups(), 0);
  using Form = ZeroPoints::Form;
  const Form form = scheme.offset ? Form::kHalf : scheme.level_count() > 256 ? Form::kWide : Form::kByte;
  if (!scheme.symmetric) result.zeros.assign(result.grid.groups(), result.middle, form);
  for_each_group(*result.source, result.grid, [&](std::uint64_t group, const Group& found) {
    const GroupScale chosen = scale_of(found, scheme);
    scales[group] = chosen.scale;
    if (!scheme.symmetric) result.zeros.set(group, chosen.zero);
  });
  return scales;
}

}  // namespace

Quantized quantize(std::shared_ptr<const FloatSource> source, const WeightRole& role, const Scheme& scheme, bool even) {
  Quantized result;
  result.scheme = scheme;
  result.source = std::move(source);
  const bool one_scale = scheme.codes == Codes::kPalette || scheme.levels != 0;
  result.grid = grid_of(result.source->tensor().dims, role, one_scale ? Scheme::kPerTensor : scheme.block, even);
  result.middle = static_cast<std::uint16_t>(scheme.level_count() / 2);
  const auto scales = scheme.codes == Codes::kInteger ? set_zeros(result) : set_table(result);
  result.scales = stored_scales(scales, scheme);
  result.measure();
  return result;
}

}  // namespace onnxpress::weights

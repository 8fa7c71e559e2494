// Encodes and decodes a quantized weight part by part, in runs of elements that share a scale.
#include "onnxpress/weights/lossy/quantized.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/ir/release_pages.h"

namespace onnxpress::weights {

std::uint64_t Grid::groups() const {
  switch (sharing) {
    case Sharing::kTensor:
      return 1;
    case Sharing::kChannel:
      return length;
    case Sharing::kBlock:
      break;
  }
  return outer * blocks * inner;
}

namespace {

constexpr std::uint64_t kPad = ~std::uint64_t{0};
constexpr std::size_t kPart = kMostSummed;

std::uint64_t product(std::span<const std::int64_t> dims, std::size_t begin, std::size_t end) {
  std::uint64_t result = 1;
  for (std::size_t i = begin; i < end; ++i) result *= static_cast<std::uint64_t>(dims[i]);
  return result;
}

void set_axes(Grid& grid, std::span<const std::int64_t> dims, std::size_t begin, std::size_t end) {
  grid.outer = product(dims, 0, begin);
  grid.length = product(dims, begin, end);
  grid.inner = product(dims, end, dims.size());
}

}  // namespace

Grid grid_of(std::span<const std::int64_t> dims, const WeightRole& role, std::int64_t block, bool even) {
  Grid grid;
  if (block == Scheme::kPerChannel && role.channel_begin < role.channel_end) {
    grid.sharing = Grid::Sharing::kChannel;
    set_axes(grid, dims, role.channel_begin, role.channel_end);
  } else if (block > 0) {
    grid.sharing = Grid::Sharing::kBlock;
    const bool all = role.reduced_begin >= role.reduced_end;
    set_axes(grid, dims, all ? 0 : role.reduced_begin, all ? dims.size() : role.reduced_end);
    const auto asked = static_cast<std::uint64_t>(block);
    grid.blocks = std::max<std::uint64_t>(1, (grid.length + asked - 1) / asked);
    grid.block = even ? std::max<std::uint64_t>(1, (grid.length + grid.blocks - 1) / grid.blocks) : asked;
  } else {
    set_axes(grid, dims, 0, dims.size());
  }
  return grid;
}

double WeightError::sqnr() const { return signal_to_noise(signal, noise); }

void WeightError::add(const RowError& row) {
  noise += row.noise, signal += row.signal, kept += row.kept;
  largest = std::max<double>(largest, row.largest), largest_weight = std::max<double>(largest_weight, row.largest_x);
}

double WeightError::cosine() const {
  const double lengths = std::sqrt(signal) * std::sqrt(kept);
  return lengths > 0 ? std::min(1.0, (signal + kept - noise) / 2 / lengths) : signal == kept ? 1 : 0;
}

// Adjacent elements that share one scale or, if `each` is true, have adjacent scales, one for each element.
struct Quantized::Run {
  std::uint64_t source, count, group;
  bool each;
};

Quantized::Run Quantized::run_at(std::uint64_t position, std::uint64_t most, bool padded) const {
  using Sharing = Grid::Sharing;
  if (grid.sharing == Sharing::kTensor) return {position, most, 0, false};
  const std::uint64_t length = padded ? grid.padded_length() : grid.length;
  const std::uint64_t i = position % grid.inner, row = position / grid.inner;
  const std::uint64_t l = row % length, o = row / length;
  const std::uint64_t from = l < grid.length ? (o * grid.length + l) * grid.inner + i : kPad;
  if (grid.sharing == Sharing::kChannel) {
    if (grid.inner == 1) return {from, std::min(most, length - l), l, true};
    return {from, std::min(most, grid.inner - i), l, false};
  }
  const std::uint64_t group = (o * grid.blocks + l / grid.block) * grid.inner + i;
  if (grid.inner > 1) return {from, std::min(most, grid.inner - i), group, true};
  const std::uint64_t end = std::min((l / grid.block + 1) * grid.block, l < grid.length ? grid.length : length);
  return {from, std::min(most, end - l), group, false};
}

// Scales, their inverses and zero points of a run, one for each element of it or one for all. Consecutive runs often
// have the same groups, such as the rows of a block.
struct Quantized::Factors {
  explicit Factors(const Quantized& quantized) : q(quantized) {}

  void set(const Run& run) {
    const std::size_t count = run.each ? run.count : 1;
    if (run.group == group && count <= known) return;
    group = run.group, known = count;
    q.scales.read(group, count, scales);
    invert(scales, count, inverses);
    for (std::size_t i = 0; i < count; ++i) zeros[i] = q.zero_of(group + i);
  }

  const Quantized& q;
  std::uint64_t group = kPad;
  std::size_t known = 0;
  float scales[kPart], inverses[kPart], zeros[kPart];
};

void Quantized::encode_run(const Run& run, const Factors& factors, const float* x, std::uint16_t* codes) const {
  if (is_affine()) {
    if (run.each)
      encode_row(x, run.count, factors.inverses, factors.zeros, top(), codes);
    else
      encode_row(x, run.count, factors.inverses[0], factors.zeros[0], top(), codes);
    return;
  }
  for (std::uint64_t i = 0; i < run.count; ++i) {
    float element = 0;  // `x` may be unaligned
    std::memcpy(&element, static_cast<const void*>(x + i), sizeof element);
    const float value = element * factors.inverses[run.each ? i : 0];
    const auto above = std::lower_bound(table.begin(), table.end(), value);
    auto code = static_cast<std::uint16_t>(above - table.begin());
    if (above == table.end() || (code > 0 && value - table[code - 1U] <= *above - value)) --code;
    codes[i] = code;
  }
}

// `room` is for elements that cannot be read in place.
void Quantized::codes_of(const Run& run, const Factors& factors, float* room, std::uint16_t* codes) const {
  if (given)
    std::copy_n(given->begin() + static_cast<std::ptrdiff_t>(run.source), run.count, codes);
  else
    encode_run(run, factors, source->view(run.source, run.count, room), codes);
}

std::uint64_t Quantized::group_of(std::uint64_t element) const {
  const std::uint64_t row = element / grid.inner, l = row % grid.length;
  switch (grid.sharing) {
    case Grid::Sharing::kTensor:
      return 0;
    case Grid::Sharing::kChannel:
      return l;
    case Grid::Sharing::kBlock:
      break;
  }
  return (row / grid.length * grid.blocks + l / grid.block) * grid.inner + element % grid.inner;
}

void Quantized::decode_run(const Run& run, const Factors& factors, const std::uint16_t* codes, float* x) const {
  if (is_affine()) {
    if (run.each)
      decode_row(codes, run.count, factors.scales, factors.zeros, x);
    else
      decode_row(codes, run.count, factors.scales[0], factors.zeros[0], x);
    return;
  }
  for (std::uint64_t i = 0; i < run.count; ++i) x[i] = table[codes[i]] * factors.scales[run.each ? i : 0];
}

void Quantized::encode(std::uint64_t first, std::size_t count, std::uint16_t* codes, bool padded) const {
  float x[kPart];
  Factors factors(*this);
  for (std::size_t done = 0; done < count;) {
    const Run run = run_at(first + done, std::min<std::uint64_t>(count - done, kPart), padded);
    if (run.source == kPad) {
      const float zero = is_affine() ? std::clamp(std::nearbyint(zero_of(run.group)), 0.0F, top()) : 0;
      std::fill_n(codes + done, run.count, static_cast<std::uint16_t>(zero));
    } else {
      factors.set(run);
      codes_of(run, factors, x, codes + done);
    }
    done += run.count;
  }
}

void Quantized::decode(std::uint64_t first, std::size_t count, float* values) const {
  std::uint16_t codes[kPart];
  Factors factors(*this);
  for (std::size_t done = 0; done < count;) {
    const Run run = run_at(first + done, std::min<std::uint64_t>(count - done, kPart), false);
    factors.set(run);
    codes_of(run, factors, values + done, codes);
    decode_run(run, factors, codes, values + done);
    done += run.count;
  }
}

void Quantized::measure() {
  error = {};
  float room[kPart], y[kPart];
  for (std::uint64_t first = 0; first < grid.count(); first += kPart) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPart, grid.count() - first));
    const float* x = source->view(first, count, room);
    decode(first, count, y);
    error.add(difference(x, y, count));
    if ((first / kPart) % 64 == 63) source->release(first - 63 * kPart, 64 * kPart);
  }
}

// Codes are in the order of the elements, but the padding of blocks moves them back a little.
void Quantized::release(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t row = grid.padded_length() * grid.inner;
  source->release(
      row == 0 ? 0 : first / row * grid.length * grid.inner + std::min(first % row, grid.length * grid.inner), count);
}

}  // namespace onnxpress::weights

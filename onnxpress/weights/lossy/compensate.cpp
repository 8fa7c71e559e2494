// Rounds the columns of a weight one after another, so that each makes up for the errors of those before it.
//
// H, the second moments of the inputs, is factored as (I + U) D (I + U)'. If the errors of the columns before it, times
// its column of U, are added to a column, it adds only its own rounding error, times D, to the noise of the result.
#include "onnxpress/weights/lossy/compensate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onnxpress/ops/kernels/gemm.h"
#include "onnxpress/ops/kernels/gemm_kernel.h"

namespace onnxpress::weights {

namespace {

// Replaces the upper triangle of the symmetric matrix `h`, which has `size` rows, with that of A, where A * A' = h.
// Where nothing is left of a pivot but rounding errors, as for inputs that never change, its column says nothing: it is
// 0.
void take_apart(std::vector<double>& h, std::size_t size) {
  for (std::size_t k = size; k-- > 0;) {
    double* pivot = h.data() + k * size;
    const std::size_t behind = size - 1 - k;
    const double left = pivot[k] - ops::dot(behind, pivot + k + 1, pivot + k + 1);
    const bool is_empty = left <= 1e-12 * std::max(pivot[k], 1e-18);
    const double root = is_empty ? 1 : std::sqrt(left);
    for (std::size_t i = 0; i < k; ++i) {
      double* row = h.data() + i * size;
      row[k] = is_empty ? 0 : (row[k] - ops::dot(behind, row + k + 1, pivot + k + 1)) / root;
    }
    pivot[k] = root;
  }
}

// Few vectors say little about how inputs are correlated: the fewer there are, the more H is pulled towards the mean of
// its diagonal.
double share_of_mean(std::size_t vectors, std::size_t columns) {
  constexpr double kLeast = 0.01, kMost = 0.4;
  return kLeast + kMost * static_cast<double>(columns) / static_cast<double>(columns + vectors);
}

// Rounds x >= 0 to the nearest whole number, ties to even, like std::nearbyint(), but without a call for each element.
float nearest_whole(float x) {
  constexpr float kWhole = 8388608;  // 2^23: from here on floats have no fractions
  return x + kWhole - kWhole;
}

}  // namespace

LayerRounding::LayerRounding(const FloatSource& source, std::shared_ptr<const LayerSample> sample)
    : sample_(std::move(sample)), weight_(source.count()), mean_(sample_->groups * sample_->columns, 0) {
  source.read(0, weight_.size(), weight_.data());
  // A bias is one more column, whose input is always 1, so it can cancel the errors of the mean input.
  const float squares = ops::dot(sample_->fitted, sample_->fit_factors.data(), sample_->fit_factors.data());
  mean_weight_ = squares / static_cast<float>(std::max<std::size_t>(1, sample_->fitted));
  for (std::size_t g = 0; sample_->has_bias && g < sample_->groups; ++g) {
    const float* x = vectors(sample_->to_fit, g, sample_->fitted);
    float* mean = mean_.data() + g * sample_->columns;
    for (std::size_t i = 0; i < sample_->fitted; ++i)
      ops::add_scaled(sample_->columns, sample_->fit_factors[i] / squares, x + i * sample_->columns, mean);
  }
  for (std::size_t g = 0; g < sample_->groups; ++g) blocks_.push_back(blocks_of(g));
  const std::size_t rows = sample_->rows, columns = sample_->columns, count = sample_->checked;
  std::vector<float> results(rows * count);
  for (std::size_t g = 0; g < sample_->groups; ++g) {
    ops::gemm({rows, count, columns},
              {weight_.data() + g * rows * sample_->row_stride, static_cast<std::ptrdiff_t>(sample_->row_stride),
               static_cast<std::ptrdiff_t>(sample_->column_stride)},
              {vectors(sample_->to_check, g, count), 1, static_cast<std::ptrdiff_t>(columns)}, results.data(), count,
              {.parallel = false});
    for (const float each : results) signal_ += static_cast<double>(each) * each;
  }
}

const float* LayerRounding::vectors(const std::vector<float>& all, std::size_t group, std::size_t count) const {
  return all.data() + group * count * sample_->columns;
}

std::vector<LayerRounding::Block> LayerRounding::blocks_of(std::size_t group) const {
  const std::size_t columns = sample_->columns, parts = (columns + sample_->width - 1) / sample_->width;
  std::vector<Block> made;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t first = i * columns / parts;
    made.push_back(make_block(group, first, (i + 1) * columns / parts - first));
  }
  return made;
}

LayerRounding::Block LayerRounding::make_block(std::size_t group, std::size_t first, std::size_t count) const {
  const std::size_t columns = sample_->columns, fitted = sample_->fitted;
  const float* x = vectors(sample_->to_fit, group, fitted) + first;
  const float* mean = mean_.data() + group * columns + first;
  std::vector<float> products(count * count);
  ops::gemm({count, count, fitted}, {x, 1, static_cast<std::ptrdiff_t>(columns)},
            {x, static_cast<std::ptrdiff_t>(columns), 1}, products.data(), count, {.parallel = false});
  const auto moment = [&](std::size_t i, std::size_t j) {
    return static_cast<double>(products[i * count + j]) / static_cast<double>(fitted) -
           static_cast<double>(mean_weight_) * mean[i] * mean[j];
  };
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) sum += moment(i, i), squares += products[i * count + i];
  const double level = std::max(sum / static_cast<double>(count), 1e-30), share = share_of_mean(fitted, count);
  Block block{.first = first, .order = std::vector<std::size_t>(count), .feedback = std::vector<float>(count * count)};
  std::iota(block.order.begin(), block.order.end(), 0);
  // Inputs that never change: all they do is in the mean, which the bias takes care of. The rest are rounding errors.
  constexpr double kCertain = 1e-4;
  if (sum <= kCertain * squares / static_cast<double>(fitted)) return block;
  // Columns that matter most go first, while there are many others left to make up for their errors.
  std::ranges::stable_sort(block.order, std::greater<>(), [&](std::size_t i) { return moment(i, i); });
  std::vector<double> h(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j)
      h[i * count + j] = (1 - share) * moment(block.order[i], block.order[j]) + (i == j ? share * level : 0);
  }
  take_apart(h, count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < k; ++i)
      block.feedback[k * count + i] = static_cast<float>(h[i * count + k] / h[k * count + k]);
  }
  return block;
}

LayerLoss LayerRounding::loss_of(const Quantized& quantized) const {
  const std::size_t rows = sample_->rows, columns = sample_->columns, count = sample_->checked;
  std::vector<float> errors(weight_.size());
  for (std::size_t first = 0; first < errors.size(); first += kMostSummed)
    quantized.decode(first, std::min(kMostSummed, errors.size() - first), errors.data() + first);
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = weight_[i] - errors[i];
  LayerLoss loss;
  if (sample_->has_bias) loss.shift.resize(sample_->all_rows());
  std::vector<float> noise(rows * count);
  for (std::size_t g = 0; g < sample_->groups; ++g) {
    const float* first = errors.data() + g * rows * sample_->row_stride;
    ops::gemm(
        {rows, count, columns},
        {first, static_cast<std::ptrdiff_t>(sample_->row_stride), static_cast<std::ptrdiff_t>(sample_->column_stride)},
        {vectors(sample_->to_check, g, count), 1, static_cast<std::ptrdiff_t>(columns)}, noise.data(), count,
        {.parallel = false});
    for (std::size_t r = 0; r < rows; ++r) {
      double shift = 0;
      for (std::size_t k = 0; sample_->has_bias && k < columns; ++k)
        shift +=
            static_cast<double>(first[r * sample_->row_stride + k * sample_->column_stride]) * mean_[g * columns + k];
      if (sample_->has_bias) loss.shift[g * rows + r] = static_cast<float>(shift);
      for (std::size_t i = 0; i < count; ++i) {
        const double each = noise[r * count + i], rest = each - shift * sample_->check_factors[i];
        loss.plain += each * each, loss.shifted += rest * rest;
      }
    }
  }
  const double signal = std::max(signal_, 1e-300);
  loss.plain /= signal, loss.shifted /= signal;
  return loss;
}

// The group of each element. It is the sum of a number for the row and one for the column if these are on separate axes
// of the grid, as in all layouts that layers have; otherwise it is computed for each element.
class GroupTable {
 public:
  GroupTable(const Quantized& quantized, const LayerSample& sample) : q_(quantized), sample_(sample) {
    for (std::size_t r = 0; r < sample.all_rows(); ++r) rows_.push_back(q_.group_of(r * sample.row_stride));
    for (std::size_t k = 0; k < sample.columns; ++k) columns_.push_back(q_.group_of(k * sample.column_stride));
    adds_up_ = q_.grid.sharing == Grid::Sharing::kTensor || keeps_apart();
  }
  std::uint64_t of(std::size_t row, std::size_t column) const {
    if (adds_up_) return rows_[row] + columns_[column];
    return q_.group_of(row * sample_.row_stride + column * sample_.column_stride);
  }

 private:
  struct Reach {
    std::uint64_t inner = 0, length = 0;  // the largest index along these axes of the grid
  };
  Reach reach(std::size_t count, std::uint64_t stride) const {
    Reach most;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t element = i * stride;
      most.inner = std::max(most.inner, element % q_.grid.inner);
      most.length = std::max(most.length, element / q_.grid.inner % q_.grid.length);
    }
    return most;
  }
  bool keeps_apart() const {
    const Reach rows = reach(sample_.all_rows(), sample_.row_stride);
    const Reach columns = reach(sample_.columns, sample_.column_stride);
    return rows.inner + columns.inner < q_.grid.inner && (rows.length == 0 || columns.length == 0);
  }

  const Quantized& q_;
  const LayerSample& sample_;
  std::vector<std::uint64_t> rows_, columns_;
  bool adds_up_ = false;
};

// Rounds single elements as Quantized does.
class LayerRounding::RowRounder {
 public:
  RowRounder(const Quantized& quantized, const LayerSample& sample)
      : q_(quantized), groups_(quantized, sample), scales_(quantized.scales.floats()) {}

  struct Rounded {
    std::uint8_t code;
    float value;
  };
  Rounded round(std::size_t row, std::size_t column, float x, bool is_zero) const {
    const std::uint64_t group = groups_.of(row, column);
    const float scale = scales_[group];
    if (!q_.is_affine()) return by_table(scale, is_zero ? 0 : x);
    const float zero = q_.zero_of(group), exact = is_zero || scale == 0 ? zero : x / scale + zero;
    const float code = nearest_whole(std::clamp(exact, 0.0F, q_.top()));
    return {static_cast<std::uint8_t>(code), (code - zero) * scale};
  }

 private:
  Rounded by_table(float scale, float x) const {
    const float value = scale == 0 ? 0 : x / scale;
    auto above = std::lower_bound(q_.table.begin(), q_.table.end(), value);
    if (above == q_.table.end() || (above != q_.table.begin() && value - above[-1] <= *above - value)) --above;
    return {static_cast<std::uint8_t>(above - q_.table.begin()), *above * scale};
  }

  const Quantized& q_;
  GroupTable groups_;
  std::vector<float> scales_;
};

// Rounds several rows at a time: if rows are side by side in memory, as in MatMul, they share cache lines, and all of
// them share the factors in `feedback`.
void LayerRounding::round_block(const RowRounder& rounder, const Block& block, std::size_t first, std::size_t rows,
                                std::vector<float>& errors, std::uint8_t* codes) const {
  const std::size_t count = block.order.size();
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t column = block.first + block.order[j];
    const float* feedback = block.feedback.data() + j * count;
    for (std::size_t r = 0; r < rows; ++r) {
      float* before = errors.data() + r * count;
      const std::uint64_t element = (first + r) * sample_->row_stride + column * sample_->column_stride;
      const float weight = weight_[element];
      const float wanted = weight + ops::dot(j, before, feedback);
      const auto [code, value] = rounder.round(first + r, column, wanted, weight == 0);
      codes[element] = code;
      before[j] = weight - value;
    }
  }
}

Quantized LayerRounding::compensated(const Quantized& plain) const {
  constexpr std::size_t kRowsAtATime = 16;
  const RowRounder rounder(plain, *sample_);
  auto codes = std::make_shared<std::vector<std::uint8_t>>(weight_.size());
  std::vector<float> errors(kRowsAtATime * sample_->width);
  for (std::size_t group = 0; group < sample_->groups; ++group) {
    for (std::size_t row = 0; row < sample_->rows; row += kRowsAtATime) {
      const std::size_t rows = std::min(kRowsAtATime, sample_->rows - row);
      for (const Block& block : blocks_[group])
        round_block(rounder, block, group * sample_->rows + row, rows, errors, codes->data());
    }
  }
  Quantized result = plain;
  result.given = std::move(codes);
  result.measure();
  return result;
}

}  // namespace onnxpress::weights

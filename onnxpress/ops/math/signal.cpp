// Signals: DFT, STFT, MelWeightMatrix and the window functions.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/kernels/fourier.h"
#include "onnxpress/ops/math/signal_infer.h"

namespace onnxpress::ops {

namespace {

// Rows, windows and matrices longer than this are refused, because their tables would take too much memory.
constexpr std::int64_t kLongestRow = std::int64_t{1} << 26;

// --- DFT

struct DftPlan {
  std::size_t length = 0;  // length of the transform
  bool inverse = false, onesided = false;

  bool is_real() const { return inverse && onesided; }
  std::size_t out() const { return onesided && !inverse ? length / 2 + 1 : length; }
};

// Rows along an axis: x is [outer, in, inner, parts], y is [outer, out, inner, 1 or 2].
struct DftRows {
  std::size_t outer = 1, in = 0, inner = 1, parts = 1;
};

// Loads the row as complex numbers, cut or padded with zeros; the missing half of a one-sided spectrum is its mirror
// image.
template <typename T>
void load(std::span<Fourier::Complex> row, const T* from, const DftRows& rows, const DftPlan& plan) {
  const std::size_t stride = rows.inner * rows.parts;
  const std::size_t bins = std::min(plan.is_real() ? plan.length / 2 + 1 : plan.length, rows.in);
  std::fill(row.begin(), row.end(), Fourier::Complex());
  for (std::size_t i = 0; i < bins; ++i) {
    const double imaginary = rows.parts == 2 ? static_cast<double>(from[i * stride + 1]) : 0;
    row[i] = {static_cast<double>(from[i * stride]), imaginary};
  }
  if (!plan.is_real()) return;
  row[0] = row[0].real();
  if (plan.length % 2 == 0) row[plan.length / 2] = row[plan.length / 2].real();
  for (std::size_t i = 1; i < (plan.length + 1) / 2; ++i) row[plan.length - i] = std::conj(row[i]);
}

template <typename T>
Array transformed(const Array& x, const DftRows& rows, const DftPlan& plan, Sizes sizes) {
  Array y = Array::make<T>(std::move(sizes));
  const std::size_t parts = plan.is_real() ? 1 : 2, out = plan.out();
  const Fourier fourier(plan.length);
  spend_steps(rows.outer, rows.inner, fourier.steps());
  std::vector<Fourier::Complex> row(plan.length);
  const double scale = plan.inverse ? 1 / static_cast<double>(plan.length) : 1;
  for (std::size_t o = 0; o < rows.outer; ++o) {
    for (std::size_t i = 0; i < rows.inner; ++i) {
      load(std::span(row), x.data<T>().data() + (o * rows.in * rows.inner + i) * rows.parts, rows, plan);
      fourier.transform(row, plan.inverse);
      T* to = y.mutable_data<T>().data() + (o * out * rows.inner + i) * parts;
      for (std::size_t k = 0; k < out; ++k, to += rows.inner * parts) {
        to[0] = static_cast<T>(row[k].real() * scale);
        if (parts == 2) to[1] = static_cast<T>(row[k].imag() * scale);
      }
    }
  }
  return y;
}

bool evaluate_dft(Call& call) {
  const Array& x = call.array(0);
  const auto axis = normal_axis(call.params.integer_or("axis", -2), x.rank());
  if (x.rank() < 2 || (x.sizes().back() != 1 && x.sizes().back() != 2))
    return call.fail("the last axis of the input does not have 1 or 2 elements");
  if (!axis || *axis + 1 == x.rank()) return call.fail("the axis is out of range");
  DftPlan plan{.inverse = call.params.flag("inverse"), .onesided = call.params.flag("onesided")};
  std::int64_t length = plan.is_real() ? 2 * (x.size(*axis) - 1) : x.size(*axis);
  if (call.has(1)) length = call.params.integer_or("dft_length", -1);
  if (length < 1 || length > kLongestRow) return call.fail("dft_length is not valid");
  plan.length = static_cast<std::size_t>(length);
  DftRows rows{.in = static_cast<std::size_t>(x.size(*axis)), .parts = static_cast<std::size_t>(x.sizes().back())};
  for (std::size_t i = 0; i < *axis; ++i) rows.outer *= static_cast<std::size_t>(x.size(i));
  for (std::size_t i = *axis + 1; i + 1 < x.rank(); ++i) rows.inner *= static_cast<std::size_t>(x.size(i));
  Sizes sizes = x.sizes();
  sizes[*axis] = static_cast<std::int64_t>(plan.out());
  sizes.back() = plan.is_real() ? 1 : 2;
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  return dispatch_wide(x,
                       [&]<typename T>(const Array& wide) {
                         return call.done(narrowed(transformed<T>(wide, rows, plan, sizes), x.type()));
                       }) ||
         call.fail_type();
}

// --- STFT

template <typename T>
Array framed(const Array& signal, const Array& window, std::size_t frame, std::size_t step, const Sizes& sizes) {
  Array y = Array::make<T>(sizes);
  T* to = y.mutable_data<T>().data();
  const auto length = static_cast<std::size_t>(signal.size(1));
  const std::size_t parts = signal.rank() == 3 ? static_cast<std::size_t>(signal.size(2)) : 1;
  const auto frames = static_cast<std::size_t>(sizes[1]), bins = static_cast<std::size_t>(sizes[2]);
  const Fourier fourier(frame);
  spend_steps(static_cast<std::uint64_t>(sizes[0]), frames, fourier.steps());
  std::vector<Fourier::Complex> row(frame);
  for (std::size_t n = 0; n < static_cast<std::size_t>(sizes[0]); ++n) {
    for (std::size_t f = 0; f < frames; ++f) {
      const T* from = signal.data<T>().data() + (n * length + f * step) * parts;
      for (std::size_t i = 0; i < frame; ++i) {
        const double weight = window.count() ? static_cast<double>(window.data<T>()[i]) : 1;
        const double imaginary = parts == 2 ? static_cast<double>(from[i * parts + 1]) : 0;
        row[i] = {static_cast<double>(from[i * parts]) * weight, imaginary * weight};
      }
      fourier.transform(row, false);
      for (std::size_t k = 0; k < bins; ++k) {
        *to++ = static_cast<T>(row[k].real());
        *to++ = static_cast<T>(row[k].imag());
      }
    }
  }
  return y;
}

bool evaluate_stft(Call& call) {
  const Array &signal = call.array(0), &window = call.array("window");
  if (signal.rank() != 2 && (signal.rank() != 3 || (signal.size(2) != 1 && signal.size(2) != 2)))
    return call.fail("the signal does not have the shape [batch, length, 1 or 2]");
  if (call.has(2) && (window.rank() != 1 || window.type() != signal.type()))
    return call.fail("the window is not a list of the signal's type");
  const std::int64_t length = signal.size(1), step = call.params.integer_or("frame_step", 0);
  std::int64_t frame = call.has(2) ? window.size(0) : length;
  if (call.has(3)) frame = call.params.integer_or("frame_length", 0);
  if (step < 1 || frame < 1 || frame > length || frame > kLongestRow)
    return call.fail("frame_step or frame_length is not valid");
  if (call.has(2) && window.size(0) != frame) return call.fail("the length of the window is not frame_length");
  const std::int64_t bins = call.params.integer_or("onesided", 1) != 0 ? frame / 2 + 1 : frame;
  const Sizes sizes{signal.size(0), (length - frame) / step + 1, bins, 2};
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  return dispatch_wide(signal,
                       [&]<typename T>(const Array& wide) {
                         const Array y = framed<T>(wide, widened(window), static_cast<std::size_t>(frame),
                                                   static_cast<std::size_t>(step), sizes);
                         return call.done(narrowed(y, signal.type()));
                       }) ||
         call.fail_type();
}

// --- Window functions and the mel matrix

ElementType window_type(const Params& params) {
  return static_cast<ElementType>(params.integer_or("output_datatype", 1));
}

void infer_window(Inference& in) {
  if (is_stated(in, 0) && !require_rank(in, 0, 0)) return;
  if (const auto size = in.params.integer("size"); size && *size <= 0)
    return in.contradict(fmt::format("size is {}, but must be positive", *size));
  in.set_element(0, window_type(in.params));
  in.set_shape({symbolic_scalar(in, "size")});
}

// a - b * cos(x) + c * cos(2 x), for x over one full turn.
bool evaluate_window(Call& call, double a, double b, double c) {
  const std::int64_t size = call.params.integer_or("size", -1);
  if (size < 0 || size > kLongestRow) return call.fail("size is not valid");
  const auto around = static_cast<double>(call.params.integer_or("periodic", 1) != 0 ? size : size - 1);
  require_scratch(static_cast<std::uint64_t>(size), sizeof(double));
  spend_steps(static_cast<std::uint64_t>(size), 50);  // two cosines each
  std::vector<double> window;
  for (std::int64_t i = 0; i < size; ++i) {
    const double x = 2 * std::numbers::pi * static_cast<double>(i) / around;
    window.push_back(a - b * std::cos(x) + c * std::cos(2 * x));
  }
  auto made = array_from(window, {size}, window_type(call.params));
  return made ? call.done(*std::move(made)) : call.fail("output_datatype is not a number type");
}

bool evaluate_hann(Call& call) { return evaluate_window(call, 0.5, 0.5, 0); }
bool evaluate_hamming(Call& call) { return evaluate_window(call, 25.0 / 46, 21.0 / 46, 0); }
bool evaluate_blackman(Call& call) { return evaluate_window(call, 0.42, 0.5, 0.08); }

void infer_mel_weight_matrix(Inference& in) {
  for (const std::size_t i : {0, 1}) {  // num_mel_bins and dft_length
    if (is_stated(in, i) && !require_rank(in, i, 0)) return;
  }
  in.set_element(0, window_type(in.params));
  in.set_shape({half_and_one(in, symbolic_scalar(in, "dft_length")), symbolic_scalar(in, "num_mel_bins")});
}

// The bins of the spectrum at which the triangles begin, peak and end: `bands` + 2 of them, evenly spaced on the mel
// scale.
std::vector<std::int64_t> mel_edges(std::int64_t bands, std::int64_t length, double rate, double low, double high) {
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double from = mel(low), step = (mel(high) - from) / static_cast<double>(bands + 2);
  std::vector<std::int64_t> edges;
  for (std::int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10.0, (from + static_cast<double>(i) * step) / 2595) - 1);
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / rate);
    edges.push_back(bin >= 0 && bin <= static_cast<double>(length) ? static_cast<std::int64_t>(bin) : -1);
  }
  return edges;
}

bool evaluate_mel_weight_matrix(Call& call) {
  const Params& params = call.params;
  const auto bands = params.integer("num_mel_bins"), length = params.integer("dft_length"),
             rate = params.integer("sample_rate");
  const auto low = params.real("lower_edge_hertz"), high = params.real("upper_edge_hertz");
  if (!bands || !length || !rate || !low || !high) return call.fail("an operand is not a single number");
  if (*bands < 1 || *length < 1 || *length > kLongestRow || *rate < 1 || *bands > kLongestRow)
    return call.fail("num_mel_bins, dft_length or sample_rate is not valid");
  const std::int64_t rows = *length / 2 + 1;
  if (rows > kLongestRow / *bands) return call.fail("the result has too many elements");
  require_scratch(static_cast<std::uint64_t>(rows * *bands), sizeof(double));
  spend_steps(static_cast<std::uint64_t>(*bands), 100);  // powers
  const auto edges = mel_edges(*bands, *length, static_cast<double>(*rate), *low, *high);
  for (const std::int64_t edge : edges) {
    if (edge < 0 || edge > rows - (&edge == &edges.back() ? 0 : 1))
      return call.fail("a band lies outside of the spectrum");
  }
  std::vector<double> matrix(static_cast<std::size_t>(rows * *bands), 0.0);
  const auto at = [&](std::int64_t row, std::int64_t band) -> double& {
    return matrix[static_cast<std::size_t>(std::min(row, rows - 1) * *bands + band)];
  };
  for (std::int64_t band = 0; band < *bands; ++band) {
    const std::int64_t left = edges[static_cast<std::size_t>(band)], middle = edges[static_cast<std::size_t>(band) + 1],
                       right = edges[static_cast<std::size_t>(band) + 2];
    if (middle == left) at(middle, band) = 1;
    for (std::int64_t i = left; i <= middle && middle > left; ++i)
      at(i, band) = static_cast<double>(i - left) / static_cast<double>(middle - left);
    for (std::int64_t i = middle; i < right; ++i)
      at(i, band) = static_cast<double>(right - i) / static_cast<double>(right - middle);
  }
  auto made = array_from(matrix, {rows, *bands}, window_type(params));
  return made ? call.done(*std::move(made)) : call.fail("output_datatype is not a number type");
}

// log2 of a length, rounded up; unknown for a symbol, because a logarithm is not a polynomial.
Dim log_of(Dim length) {
  const auto size = length.size();
  return size && *size > 0 ? Dim::size(std::bit_width(static_cast<std::uint64_t>(*size - 1))) : Dim();
}

// 5/2 n log2 n multiply-adds for each row of n complex numbers.
Dim transform_cost(CostQuery& query, Dim rows, Dim length) {
  const Dim each = query.product(query.product(Dim::size(5), length), log_of(query.dims.resolve(length)));
  return query.dims.floor_div(query.product(rows, each), Dim::size(2));
}

void cost_dft(CostQuery& query) {
  query.cost.is_estimate = true;
  query.cost.macs = Dim();
  const Shape *x = query.in.shape(0), *y = query.result_shape();
  const auto chosen = query.in.params.integer("axis");
  const auto axis = x ? normal_axis(chosen.value_or(-2), x->size()) : std::nullopt;
  if (!x || !y || !axis || y->size() != x->size() || x->empty()) return;
  const Dim length = query.in.params.given("dft_length") ? symbolic_scalar(query.in, "dft_length") : (*x)[*axis];
  Dim rows = Dim::size(1);
  for (std::size_t i = 0; i + 1 < x->size(); ++i) {
    if (i != *axis) rows = query.product(rows, (*x)[i]);
  }
  query.cost.macs = transform_cost(query, rows, length);
}

void cost_stft(CostQuery& query) {
  query.cost.is_estimate = true;
  query.cost.macs = Dim();
  const Shape *y = query.result_shape(), *window = query.in.shape(2);
  const Dim length = query.in.has(3) ? symbolic_scalar(query.in, "frame_length")
                                     : (window && window->size() == 1 ? (*window)[0] : Dim());
  if (y && y->size() == 4) query.cost.macs = transform_cost(query, query.product((*y)[0], (*y)[1]), length);
}

constexpr OpDef kSignalRows[] = {
    {.name = "BlackmanWindow", .infer = infer_window, .evaluate = evaluate_blackman, .cost = cost_times_result<4>},
    {.name = "DFT", .infer = infer_dft, .evaluate = evaluate_dft, .cost = cost_dft},
    {.name = "HammingWindow", .infer = infer_window, .evaluate = evaluate_hamming, .cost = cost_times_result<2>},
    {.name = "HannWindow", .infer = infer_window, .evaluate = evaluate_hann, .cost = cost_times_result<2>},
    {.name = "MelWeightMatrix",
     .infer = infer_mel_weight_matrix,
     .evaluate = evaluate_mel_weight_matrix,
     .cost = cost_per_result},
    {.name = "STFT", .infer = infer_stft, .evaluate = evaluate_stft, .cost = cost_stft},
};

}  // namespace

Family signal() { return kSignalRows; }

}  // namespace onnxpress::ops

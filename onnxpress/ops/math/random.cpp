// Random numbers: RandomNormal, RandomUniform, their Like forms, Multinomial, Bernoulli, Dropout.
//
// ONNX does not say which numbers a seed gives. Ours come from SplitMix64 (Steele, Lea, Flood 2014), started with the
// bits of the seed as a double; uniform numbers are its upper 53 bits, normal ones are made of two by Box and Muller.
// Without a seed nothing is computed: a folded random number would be the same in every run.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"

namespace onnxpress::ops {

namespace {

class Generator {
 public:
  explicit Generator(double seed) : state_(std::bit_cast<std::uint64_t>(seed)) {}

  double uniform() {  // in [0, 1)
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - [0, 1) is never 0
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

std::optional<Generator> generator_of(Call& call) {
  // The seed is a float everywhere except in Dropout.
  const auto whole = call.params.integer("seed");
  const auto seed = whole ? std::optional(static_cast<double>(*whole)) : call.params.real("seed");
  if (!seed) {
    call.fail("the result is random: there is no seed");
    return std::nullopt;
  }
  return Generator(*seed);
}

// `dtype` or, if that is absent, `otherwise`.
ElementType type_from(const Params& params, ElementType otherwise) {
  const auto dtype = params.integer("dtype");
  return dtype ? static_cast<ElementType>(*dtype) : otherwise;
}

// --- Shapes

void infer_type(Inference& in) {
  const ElementType type = type_from(in.params, in.operand(0).element);
  if (is_known(type)) in.set_element(0, type);
}

void infer_random(Inference& in) {
  infer_type(in);
  if (in.operand_count() > 0) return in.same_as(0, 0);
  const auto shape = in.symbolic("shape");
  if (!shape) return;
  const auto below = std::ranges::find_if(*shape, [](Dim dim) { return dim.size().value_or(0) < 0; });
  if (below != shape->end()) return in.contradict(fmt::format("shape has the entry {}", *below->size()));
  in.set_shape(*shape);
}

void infer_uniform(Inference& in) {
  infer_random(in);
  if (in.result_count() == 0) return;
  const ElementType type = in.result().element;
  const double low = in.params.real_or("low", 0), high = in.params.real_or("high", 1);
  // Narrower types round, possibly beyond the bounds.
  if ((type == ElementType::kFloat || type == ElementType::kDouble) && low <= high && std::isfinite(high - low))
    in.result().range = {low, high, true};
}

void infer_bernoulli(Inference& in) {
  infer_random(in);
  if (in.result_count() > 0) in.result().range = {0, 1, true};
}

void infer_multinomial(Inference& in) {
  const auto dtype = in.params.attribute("dtype") ? in.params.integer("dtype") : std::nullopt;
  if (dtype && *dtype != static_cast<std::int64_t>(ElementType::kInt32) &&
      *dtype != static_cast<std::int64_t>(ElementType::kInt64))
    return in.contradict(fmt::format("dtype is {}, but must be int32 or int64", *dtype));
  infer_type(in);
  if (!require_rank(in, 0, 2)) return;
  const Shape* x = in.shape(0);
  const std::int64_t samples = in.params.integer_or("sample_size", 1);
  const Dim count = samples >= 0 && Dim::fits(samples) ? Dim::size(samples) : Dim();
  in.set_shape({x && x->size() == 2 ? (*x)[0] : Dim(), count});
  if (in.result_count() > 0) in.result().range = {.low = 0, .finite = true};
}

// --- Filling arrays

// The limit of numbers, which are drawn as doubles first: more would exhaust the machine.
constexpr std::size_t kMostDrawn = std::size_t{1} << 28;

// The result's shape: that of operand 0, or the attribute.
std::optional<Sizes> sizes_of(Call& call) {
  std::optional<Sizes> sizes;
  if (call.operand_count() > 0) {
    if (call.has(0) && call.datum(0).array()) sizes = call.array(0).sizes();
  } else {
    sizes = call.params.integers("shape");
  }
  if (!sizes || count_of(*sizes).value_or(kMostDrawn + 1) > kMostDrawn) {
    call.fail("the result's shape is missing or not valid");
    return std::nullopt;
  }
  return sizes;
}

template <typename Draw>
bool fill(Call& call, Draw&& draw) {
  const auto sizes = sizes_of(call);
  auto generator = generator_of(call);
  if (!sizes || !generator) return false;
  std::vector<double> numbers(*count_of(*sizes));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = draw(*generator, i);
  auto made = array_from(numbers, *sizes, type_from(call.params, call.array(0).type()));
  return made ? call.done(*std::move(made)) : call.fail("dtype is not a number type");
}

bool evaluate_normal(Call& call) {
  const double mean = call.params.real_or("mean", 0), scale = call.params.real_or("scale", 1);
  return fill(call, [&](Generator& g, std::size_t) { return mean + scale * g.normal(); });
}

bool evaluate_uniform(Call& call) {
  const double low = call.params.real_or("low", 0), high = call.params.real_or("high", 1);
  return fill(call, [&](Generator& g, std::size_t) { return low + (high - low) * g.uniform(); });
}

bool evaluate_bernoulli(Call& call) {
  const Array chances = converted<double>(call.array(0));
  if (chances.type() != ElementType::kDouble) return call.fail_type();
  return fill(call, [&](Generator& g, std::size_t i) { return g.uniform() < chances.data<double>()[i] ? 1.0 : 0.0; });
}

// Operand 0 holds logarithms of unnormalized probabilities.
bool evaluate_multinomial(Call& call) {
  const Array logs = converted<double>(call.array(0));
  if (logs.type() != ElementType::kDouble) return call.fail_type();
  const std::int64_t samples = call.params.integer_or("sample_size", 1);
  if (logs.rank() != 2 || logs.size(1) == 0) return call.fail("the input is not of shape [batch, classes]");
  const Sizes sizes{logs.size(0), samples};
  const auto count = count_of(sizes);
  auto generator = generator_of(call);
  if (!generator) return false;
  if (!count || *count > kMostDrawn) return call.fail("sample_size is not valid");
  const auto classes = static_cast<std::size_t>(logs.size(1));
  std::vector<double> drawn;
  for (std::int64_t n = 0; n < sizes[0]; ++n) {
    const auto row = logs.data<double>().subspan(static_cast<std::size_t>(n) * classes, classes);
    const double largest = *std::max_element(row.begin(), row.end());
    std::vector<double> sums;
    for (const double each : row) sums.push_back((sums.empty() ? 0 : sums.back()) + std::exp(each - largest));
    for (std::int64_t k = 0; k < samples; ++k) {
      const double at = generator->uniform() * sums.back();
      const auto chosen = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
      drawn.push_back(static_cast<double>(std::min<std::ptrdiff_t>(chosen, static_cast<std::ptrdiff_t>(classes) - 1)));
    }
  }
  auto made = array_from(drawn, sizes, type_from(call.params, ElementType::kInt32));
  return made ? call.done(*std::move(made)) : call.fail("dtype is not a number type");
}

// --- Dropout

enum class Training : std::uint8_t { kNo, kYes, kUnknown };

// Versions 1 and 6 drop elements unless `is_test` is set, 7 and 10 never do, newer ones if `training_mode` is true and
// the ratio is not 0.
Training training_of(const Params& params) {
  if (params.schema().attribute("is_test")) return params.flag("is_test") ? Training::kNo : Training::kYes;
  if (!params.given("training_mode")) return Training::kNo;
  if (params.given("ratio") && params.real("ratio") == 0.0) return Training::kNo;
  const auto mode = params.integer("training_mode");
  if (!mode) return Training::kUnknown;
  return *mode ? Training::kYes : Training::kNo;
}

void infer_dropout(Inference& in) {
  if (!require_rank(in, 1, 0) || !require_rank(in, 2, 0)) return;  // ratio, training_mode
  if (training_of(in.params) == Training::kNo && in.operand(0).is_tensor()) {
    in.set(0, in.operand(0));
    if (in.result_count() > 1) in.result(1).is_splat = true;
  } else {
    in.same_as(0, 0);
  }
  in.same_as(1, 0);
}

Array ones(ElementType type, const Sizes& sizes) {
  const std::vector<double> numbers(*count_of(sizes), 1.0);
  return array_from(numbers, sizes, type).value_or(Array());
}

bool evaluate_dropout(Call& call) {
  const Array& x = call.array(0);
  // Before version 10 the mask had the type of the data.
  const bool mask_is_bool = call.params.schema().results.size() > 1 && call.params.schema().results[1].type != "T";
  const ElementType mask_type = mask_is_bool ? ElementType::kBool : x.type();
  if (training_of(call.params) == Training::kNo) {
    call.set(0, x);
    if (call.wants(1)) call.set(1, ones(mask_type, x.sizes()));
    return true;
  }
  const double ratio = call.params.real_or("ratio", 0.5);
  if (!(ratio >= 0 && ratio < 1)) return call.fail("the ratio is not in [0, 1)");
  auto generator = generator_of(call);
  if (!generator) return false;
  const Array data = converted<double>(x);
  if (data.type() != ElementType::kDouble) return call.fail_type();
  std::vector<double> kept(x.count()), mask(x.count());
  for (std::size_t i = 0; i < x.count(); ++i) {
    mask[i] = generator->uniform() < ratio ? 0 : 1;
    kept[i] = mask[i] * data.data<double>()[i] / (1 - ratio);
  }
  call.set(0, *array_from(kept, x.sizes(), x.type()));
  if (call.wants(1)) call.set(1, *array_from(mask, x.sizes(), mask_type));
  return true;
}

constexpr OpDef kRandomRows[] = {
    {.name = "Bernoulli",
     .traits = kRandom,
     .infer = infer_bernoulli,
     .evaluate = evaluate_bernoulli,
     .cost = cost_per_result},
    {.name = "Dropout", .traits = kRandom, .infer = infer_dropout, .evaluate = evaluate_dropout, .cost = cost_nothing},
    {.name = "Dropout", .since = 7, .infer = infer_dropout, .evaluate = evaluate_dropout, .cost = cost_nothing},
    {.name = "Dropout",
     .since = 12,
     .traits = kRandom,
     .infer = infer_dropout,
     .evaluate = evaluate_dropout,
     .cost = cost_nothing},
    {.name = "Multinomial",
     .traits = kRandom,
     .infer = infer_multinomial,
     .evaluate = evaluate_multinomial,
     .cost = cost_per_result},
    {.name = "RandomNormal",
     .traits = kRandom,
     .infer = infer_random,
     .evaluate = evaluate_normal,
     .cost = cost_per_result},
    {.name = "RandomNormalLike",
     .traits = kRandom,
     .infer = infer_random,
     .evaluate = evaluate_normal,
     .cost = cost_per_result},
    {.name = "RandomUniform",
     .traits = kRandom,
     .infer = infer_uniform,
     .evaluate = evaluate_uniform,
     .cost = cost_per_result},
    {.name = "RandomUniformLike",
     .traits = kRandom,
     .infer = infer_uniform,
     .evaluate = evaluate_uniform,
     .cost = cost_per_result},
};

}  // namespace

Family random() { return kRandomRows; }

}  // namespace onnxpress::ops

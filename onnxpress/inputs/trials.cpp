// Finds sizes by trying; after that, each trial changes one thing.
#include "onnxpress/inputs/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/compared_numbers.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::inputs {

namespace {

// Sizes for images are multiples of 32, for sound a second; the last ones are for models whose first dim is no batch.
struct ToTry {
  std::int64_t batch, others;
};
constexpr ToTry kToTry[] = {{1, 2},   {1, 1},    {1, 8},     {1, 32}, {1, 64}, {1, 224},
                            {1, 512}, {1, 4096}, {1, 16000}, {2, 2},  {8, 8},  {64, 64}};
constexpr std::size_t kMostTried = 8, kMostVaried = 4;  // symbols

// Numbers that implementations often get wrong.
void put_edges(ops::Array& array) {
  constexpr double kEdges[] = {0, 1, -1, -0.0, 0.5, -0.5, 3, -3, 1e-3, -1e-3, 20, -20, 1e-7, -1e-7, 200, -200, 1e-30};
  using Types = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16>;
  ops::dispatch(Types(), array.type(), [&]<typename T>() {
    const auto data = array.mutable_data<T>();
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<T>(static_cast<ops::Computed<T>>(kEdges[i % std::size(kEdges)]));
  });
}

// Fills the array with a few shares strictly between 0 and 1, or with ones.
void put_settings(ops::Array& array, bool ones) {
  constexpr double kShares[] = {0.5, 0.25, 0.75, 0.125};
  using Types = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16>;
  ops::dispatch(Types(), array.type(), [&]<typename T>() {
    const auto data = array.mutable_data<T>();
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<T>(static_cast<ops::Computed<T>>(ones ? 1 : kShares[i % std::size(kShares)]));
  });
}

void flip(ops::Array& array) {
  for (ops::Bool& each : array.mutable_data<ops::Bool>()) each = ops::Bool(!static_cast<bool>(each));
}

}  // namespace

Trials::Trials(const Model& model, const analysis::Facts& facts, engines::NamedArrays values, std::uint64_t seed)
    : model_(model), facts_(facts), values_(std::move(values)), seed_(seed) {
  for (const ValueInfo* info : inputs_to_give(model)) {
    const Value& input = *info->value;
    const ops::Fact& fact = facts.of(input);
    if (fact.kind == ops::Fact::Kind::kOptional) continue;
    inputs_.push_back(&input);
    has_bools_ |= fact.element == ElementType::kBool;
    has_floats_ |= is_float(fact.element);
    has_settings_ |= is_setting(input);
    const auto shape = facts.shape_of(input);
    if (is_integer(fact.element) && fact.sizes() && product_of(*fact.sizes()) == 1U) {
      auto numbers = compared_numbers(input, facts);
      choices_ = std::max(choices_, numbers.size());
      if (!numbers.empty()) settings_.emplace(&input, std::move(numbers));
    }
    for (const Dim dim : shape.value_or(ops::Shape())) {
      if (dim.symbol() && std::ranges::find(symbols_, dim.symbol()) == symbols_.end()) symbols_.push_back(dim.symbol());
    }
  }
}

bool Trials::is_setting(const Value& input) const {
  constexpr std::uint64_t kMost = 16;
  const ops::Fact& fact = facts_.of(input);
  const auto sizes = fact.sizes();
  return is_float(fact.element) && sizes && sizes->size() < 2 && product_of(*sizes).value_or(kMost + 1) <= kMost;
}

std::int64_t Trials::size_of(const Symbol* symbol, const OpenDims& open) const {
  const auto own = open.sizes.find(symbol);
  if (own != open.sizes.end()) return own->second;
  return open.batches.contains(symbol) ? open.batch : open.others;
}

bool Trials::is_too_large(const OpenDims& open) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  std::vector<std::string> ignored;
  return std::ranges::any_of(inputs_, [&](const Value* input) {
    const auto count = product_of(sizes_to_make(*input, facts_, open, ignored));
    return !count || *count > kMost;
  });
}

ops::Array Trials::array_for(const Value& input, const Plan& plan) const {
  for (const auto& [name, array] : values_) {
    if (name == input.name()) return array;
  }
  const ops::Fact& fact = facts_.of(input);
  if (!fact.is_tensor())
    throw Error("", fmt::format("input {} is not a tensor", quote_name(input.name())), "only tensors can be generated");
  std::vector<std::string> ignored;
  const ops::Sizes sizes = sizes_to_make(input, facts_, plan.open, ignored);
  const bool styled = plan.kind && fact.element != ElementType::kString;
  ops::Array made = styled ? styled_input(input, fact.element, sizes, {*plan.kind, plan.seed}, plan.open.others, facts_)
                           : made_input(input, fact.element, sizes, "random", plan.seed, facts_);
  if (const auto setting = settings_.find(&input); setting != settings_.end() && plan.choice < setting->second.size()) {
    const ops::Array number = ops::Array::scalar(setting->second[plan.choice]);
    if (const auto fitting = ops::converted(number, fact.element)) return fitting->reshaped(sizes);
  }
  if (plan.edges) put_edges(made);
  if (plan.settings != Settings::kRandom && is_setting(input)) put_settings(made, plan.settings == Settings::kOnes);
  if (plan.flips && fact.element == ElementType::kBool) flip(made);
  return made;
}

InputSet Trials::made(const Plan& plan) const {
  InputSet trial{.about = plan.edges  ? "edges"
                          : plan.kind ? std::string(name_of(*plan.kind))
                                      : "random",
                 .kind = plan.kind,
                 .arrays = {}};
  for (const Value* input : inputs_) trial.arrays.emplace_back(input->name(), array_for(*input, plan));
  for (const Symbol* symbol : symbols_)
    trial.about += fmt::format(", {}={}", to_string(Dim::symbol(symbol)), size_of(symbol, plan.open));
  for (const auto& [input, numbers] : settings_) {
    if (plan.choice < numbers.size()) trial.about += fmt::format(", {}={}", input->name(), numbers[plan.choice]);
  }
  if (plan.flips) trial.about += ", bools flipped";
  if (has_settings_ && plan.settings != Settings::kRandom)
    trial.about += plan.settings == Settings::kOnes ? ", settings 1" : ", settings below 1";
  return trial;
}

// First the same size for all open dims, then one symbol larger than the others, as for a signal next to the state of
// a recurrent layer.
std::vector<OpenDims> Trials::sizes_to_try(Sizing sizing) const {
  std::vector<OpenDims> all;
  if (sizing == Sizing::kUsual) {
    for (const std::int64_t others : {224, 512, 16000, 64}) all.push_back(open_dims(model_, facts_, 1, others));
  }
  for (const auto& [batch, others] : kToTry) all.push_back(open_dims(model_, facts_, batch, others));
  for (std::size_t i = 0; i < symbols_.size() && i < kMostTried && symbols_.size() > 1; ++i) {
    for (const std::int64_t size : {8, 64, 512, 4096, 16000}) {
      all.push_back(open_dims(model_, facts_, 1, 1));
      all.back().sizes[symbols_[i]] = size;
    }
  }
  return all;
}

InputSet Trials::first(const std::function<void(const InputSet&)>& run, Sizing sizing) {
  try {
    return first_with(Settings::kRandom, run, sizing);
  } catch (const Error&) {
    if (!has_settings_) throw;
  }
  return first_with(Settings::kShares, run, sizing);
}

InputSet Trials::first_with(Settings settings, const std::function<void(const InputSet&)>& run, Sizing sizing) {
  std::optional<Error> refusal;
  const auto is_fixed = [this](const Value* each) { return facts_.of(*each).sizes().has_value(); };
  const bool all_fixed = std::ranges::all_of(inputs_, is_fixed);
  for (std::size_t choice = 0; choice <= choices_; ++choice) {
    for (const OpenDims& open : sizes_to_try(sizing)) {
      const Plan plan{.open = open, .seed = seed_, .choice = choice, .settings = settings};
      try {
        if (refusal && is_too_large(open)) continue;
        InputSet trial = made(plan);
        run(trial);
        plan_others(plan);
        return trial;
      } catch (const Error& error) {
        if (!refusal) refusal = error;
      }
      if (all_fixed) break;  // no other sizes to try
    }
  }
  throw *refusal;  // NOLINT(bugprone-unchecked-optional-access): without an Error, the loop would have returned
}

void Trials::plan_others(const Plan& first) {
  const auto add = [&](std::uint64_t seed) -> Plan& {
    plans_.push_back(first);
    plans_.back().seed = seed_ + seed;
    return plans_.back();
  };
  branches_.push_back(first);
  if (has_bools_) add(0).flips = true;
  if (has_settings_) add(0).settings = Settings::kOnes;
  for (std::size_t choice = 0; choices_ > 0 && choice <= choices_; ++choice) {
    if (choice == first.choice) continue;
    add(0).choice = choice;
    // If the number is a sample rate: half the samples at half the rate.
    Plan half = plans_.back();
    for (const Symbol* symbol : symbols_)
      half.open.sizes[symbol] = std::max<std::int64_t>(1, size_of(symbol, first.open) / 2);
    if (!symbols_.empty()) plans_.push_back(std::move(half));
  }
  branches_.insert(branches_.end(), plans_.begin(), plans_.end());
  const auto add_sized = [&](const Symbol* symbol, std::int64_t size) {
    OpenDims open = first.open;
    open.sizes[symbol] = size;
    if (!is_too_large(open)) add(1).open = std::move(open);
  };
  for (std::size_t i = 0; i < symbols_.size() && i < kMostVaried; ++i) {
    const std::int64_t size = size_of(symbols_[i], first.open);
    add_sized(symbols_[i], size * 2);
    if (size == 1) add_sized(symbols_[i], 3);
    if (size > 1) add_sized(symbols_[i], size + 1);
  }
  for (const InputKind kind : kInputKinds) {
    if (kind != InputKind::kNormal) add(2).kind = kind;
  }
  if (has_floats_) add(2).edges = true;
}

InputSet Trials::make(std::size_t i) const {
  if (i < plans_.size()) return made(plans_[i]);
  const std::size_t number = i - plans_.size();
  Plan noise = branches_.at(number % branches_.size());
  noise.seed = seed_ + 3 + number;
  return made(noise);
}

}  // namespace onnxpress::inputs

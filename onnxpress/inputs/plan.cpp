// Finds sizes that the model runs with by trying; every further set of inputs differs from the first in one way.
#include "onnxpress/inputs/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/compared_numbers.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::inputs {

namespace {

constexpr std::size_t kMostVaried = 4;  // symbols

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

InputPlan::InputPlan(const Model& model, const analysis::Facts& facts, engines::NamedArrays values, std::uint64_t seed)
    : model_(model), facts_(facts), values_(std::move(values)), seed_(seed), symbols_(open_symbols(model, facts)) {
  for (const ValueInfo* info : inputs_to_give(model)) {
    const Value& input = *info->value;
    const ops::Fact& fact = facts.of(input);
    if (fact.kind == ops::Fact::Kind::kOptional) continue;
    inputs_.push_back(&input);
    has_bools_ |= fact.element == ElementType::kBool;
    has_floats_ |= is_float(fact.element);
    has_settings_ |= is_setting(input);
    if (is_integer(fact.element) && fact.sizes() && product_of(*fact.sizes()) == 1U) {
      auto numbers = compared_numbers(input, facts);
      choices_ = std::max(choices_, numbers.size());
      if (!numbers.empty()) settings_.emplace(&input, std::move(numbers));
    }
  }
}

bool InputPlan::is_setting(const Value& input) const {
  constexpr std::uint64_t kMost = 16;
  const ops::Fact& fact = facts_.of(input);
  const auto sizes = fact.sizes();
  return is_float(fact.element) && sizes && sizes->size() < 2 && product_of(*sizes).value_or(kMost + 1) <= kMost;
}

bool InputPlan::is_too_large(const OpenDims& open) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  std::vector<std::string> ignored;
  return std::ranges::any_of(inputs_, [&](const Value* input) {
    const auto count = product_of(sizes_to_make(*input, facts_, open, ignored));
    return !count || *count > kMost;
  });
}

ops::Array InputPlan::array_for(const Value& input, const Recipe& recipe) const {
  for (const auto& [name, array] : values_) {
    if (name == input.name()) return array;
  }
  const ops::Fact& fact = facts_.of(input);
  if (!fact.is_tensor())
    throw Error("", fmt::format("input {} is not a tensor", quote_name(input.name())), "only tensors can be generated");
  std::vector<std::string> ignored;
  const ops::Sizes sizes = sizes_to_make(input, facts_, recipe.open, ignored);
  const bool styled = recipe.kind && fact.element != ElementType::kString;
  ops::Array made =
      styled ? styled_input(input, fact.element, sizes, {*recipe.kind, recipe.seed}, recipe.open.others, facts_)
             : made_input(input, fact.element, sizes, "random", recipe.seed, facts_);
  if (const auto setting = settings_.find(&input);
      setting != settings_.end() && recipe.choice < setting->second.size()) {
    const ops::Array number = ops::Array::scalar(setting->second[recipe.choice]);
    if (const auto fitting = ops::converted(number, fact.element)) return fitting->reshaped(sizes);
  }
  if (recipe.edges) put_edges(made);
  if (recipe.settings != Settings::kRandom && is_setting(input)) put_settings(made, recipe.settings == Settings::kOnes);
  if (recipe.flips && fact.element == ElementType::kBool) flip(made);
  return made;
}

InputSet InputPlan::made(const Recipe& recipe) const {
  InputSet set{.about = recipe.edges  ? "edges"
                        : recipe.kind ? std::string(name_of(*recipe.kind))
                                      : "random",
               .kind = recipe.kind,
               .arrays = {}};
  for (const Value* input : inputs_) set.arrays.emplace_back(input->name(), array_for(*input, recipe));
  for (const Symbol* symbol : symbols_)
    set.sizes.emplace_back(to_string(Dim::symbol(symbol)), size_of(symbol, recipe.open));
  for (const auto& [name, size] : set.sizes) set.about += fmt::format(", {}={}", name, size);
  for (const auto& [input, numbers] : settings_) {
    if (recipe.choice < numbers.size()) set.about += fmt::format(", {}={}", input->name(), numbers[recipe.choice]);
  }
  if (recipe.flips) set.about += ", bools flipped";
  if (has_settings_ && recipe.settings != Settings::kRandom)
    set.about += recipe.settings == Settings::kOnes ? ", settings 1" : ", settings below 1";
  return set;
}

InputSet InputPlan::first(const std::function<void(const InputSet&)>& run, const SizePolicy& policy) {
  try {
    return first_with(Settings::kRandom, run, policy);
  } catch (const engines::EngineDied&) {
    throw;
  } catch (const Error&) {
    if (!has_settings_) throw;
  }
  return first_with(Settings::kShares, run, policy);
}

InputSet InputPlan::first_with(Settings settings, const std::function<void(const InputSet&)>& run,
                               const SizePolicy& policy) {
  std::optional<Error> refusal;
  const auto is_fixed = [this](const Value* each) { return facts_.of(*each).sizes().has_value(); };
  std::vector<OpenDims> sizes = sizes_to_try(policy, model_, facts_);
  if (std::ranges::all_of(inputs_, is_fixed)) sizes.resize(1);  // no other sizes to try
  budget_.emplace(model_, facts_, policy, sizes);
  for (std::size_t choice = 0; choice <= choices_; ++choice) {
    for (const OpenDims& open : sizes) {
      if (refusal && is_too_large(open)) continue;
      if (refusal && !budget_->allows(open)) continue;
      const Recipe recipe{.open = open, .seed = seed_, .choice = choice, .settings = settings};
      try {
        InputSet set = made(recipe);
        run(set);
        plan_others(recipe);
        return set;
      } catch (const engines::EngineDied&) {
        throw;
      } catch (const Error& error) {
        if (!refusal) refusal = error;
      }
    }
  }
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): without an Error, the loop would have returned
  throw Error(refusal->where(), refusal->message() + budget_->why(), refusal->hint());
}

void InputPlan::plan_others(const Recipe& first) {
  const auto add = [&](std::uint64_t seed) -> Recipe& {
    recipes_.push_back(first);
    recipes_.back().seed = seed_ + seed;
    return recipes_.back();
  };
  branches_.push_back(first);
  if (has_bools_) add(0).flips = true;
  if (has_settings_) add(0).settings = Settings::kOnes;
  for (std::size_t choice = 0; choices_ > 0 && choice <= choices_; ++choice) {
    if (choice == first.choice) continue;
    add(0).choice = choice;
    // If the number is a sample rate: half the samples at half the rate.
    Recipe half = recipes_.back();
    for (const Symbol* symbol : symbols_) {
      if (!first.open.follows.contains(symbol))
        half.open.sizes[symbol] = std::max<std::int64_t>(1, size_of(symbol, first.open) / 2);
    }
    if (!symbols_.empty()) recipes_.push_back(std::move(half));
  }
  branches_.insert(branches_.end(), recipes_.begin(), recipes_.end());
  const auto add_sized = [&](const Symbol* symbol, std::int64_t size) {
    OpenDims open = first.open;
    open.sizes[symbol] = size;
    if (!is_too_large(open) && budget_->allows(open)) add(1).open = std::move(open);
  };
  for (std::size_t i = 0; i < symbols_.size() && i < kMostVaried; ++i) {
    if (first.open.follows.contains(symbols_[i])) continue;
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

InputSet InputPlan::make(std::size_t i) const {
  if (i < recipes_.size()) return made(recipes_[i]);
  const std::size_t number = i - recipes_.size();
  Recipe noise = branches_.at(number % branches_.size());
  noise.seed = seed_ + 3 + number;
  return made(noise);
}

}  // namespace onnxpress::inputs

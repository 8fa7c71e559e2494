// Sizes are found by trying; after that each trial changes one thing.
#include "onnxpress/tasks/verify/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/inputs/bindings.h"

namespace onnxpress::tasks {

namespace {

// Images in multiples of 32, sounds of a second; what has no batch after all.
struct ToTry {
  std::int64_t batch, others;
};
constexpr ToTry kToTry[] = {{1, 2},   {1, 1},    {1, 8},     {1, 32}, {1, 64}, {1, 224},
                            {1, 512}, {1, 4096}, {1, 16000}, {2, 2},  {8, 8},  {64, 64}};
constexpr std::size_t kMostTried = 8, kMostVaried = 4;  // symbols

// Numbers that implementations get wrong.
void put_edges(ops::Array& array) {
  constexpr double kEdges[] = {0, 1, -1, -0.0, 0.5, -0.5, 3, -3, 1e-3, -1e-3, 20, -20, 1e-7, -1e-7, 200, -200, 1e-30};
  using Types = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16>;
  ops::dispatch(Types(), array.type(), [&]<typename T>() {
    const auto data = array.mutable_data<T>();
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<T>(static_cast<ops::Computed<T>>(kEdges[i % std::size(kEdges)]));
  });
}

void flip(ops::Array& array) {
  for (ops::Bool& each : array.mutable_data<ops::Bool>()) each = ops::Bool(!static_cast<bool>(each));
}

}  // namespace

Trials::Trials(const Model& model, const analysis::Facts& facts, NamedArrays values, std::uint64_t seed)
    : model_(model), facts_(facts), values_(std::move(values)), seed_(seed) {
  for (const ValueInfo* info : inputs_to_give(model)) {
    const Value& input = *info->value;
    const ops::Fact& fact = facts.of(input);
    if (fact.kind == ops::Fact::Kind::kOptional) continue;
    inputs_.push_back(&input);
    has_bools_ |= fact.element == ElementType::kBool;
    has_floats_ |= is_float(fact.element);
    const auto shape = facts.shape_of(input);
    for (const Dim dim : shape.value_or(ops::Shape())) {
      if (dim.symbol() && std::ranges::find(symbols_, dim.symbol()) == symbols_.end()) symbols_.push_back(dim.symbol());
    }
  }
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
    throw Error("", fmt::format("input {} is not a tensor", quote_name(input.name())), "only tensors can be made up");
  std::vector<std::string> ignored;
  const ops::Sizes sizes = sizes_to_make(input, facts_, plan.open, ignored);
  const std::string_view how = plan.how == "edges" ? "random" : std::string_view(plan.how);
  ops::Array made = made_input(input, fact.element, sizes, how, plan.seed, facts_);
  if (plan.how == "edges") put_edges(made);
  if (plan.flips && fact.element == ElementType::kBool) flip(made);
  return made;
}

Trial Trials::made(const Plan& plan) const {
  Trial trial{.about = plan.how, .inputs = {}};
  for (const Value* input : inputs_) trial.inputs.emplace_back(input->name(), array_for(*input, plan));
  for (const Symbol* symbol : symbols_)
    trial.about += fmt::format(", {}={}", to_string(Dim::symbol(symbol)), size_of(symbol, plan.open));
  if (plan.flips) trial.about += ", bools flipped";
  return trial;
}

// All open dims alike first, then one symbol larger than the others: a sound beside the state of a recurrent layer.
std::vector<OpenDims> Trials::sizes_to_try() const {
  std::vector<OpenDims> all;
  for (const auto& [batch, others] : kToTry) all.push_back(open_dims(model_, facts_, batch, others));
  for (std::size_t i = 0; i < symbols_.size() && i < kMostTried && symbols_.size() > 1; ++i) {
    for (const std::int64_t size : {8, 64, 512, 4096, 16000}) {
      all.push_back(open_dims(model_, facts_, 1, 1));
      all.back().sizes[symbols_[i]] = size;
    }
  }
  return all;
}

Trial Trials::first(const std::function<void(const Trial&)>& run) {
  std::optional<Error> refusal;
  for (const OpenDims& open : sizes_to_try()) {
    const Plan plan{.how = "random", .open = open, .seed = seed_};
    try {
      if (refusal && is_too_large(open)) continue;
      Trial trial = made(plan);
      run(trial);
      plan_others(open);
      return trial;
    } catch (const Error& error) {
      if (!refusal) refusal = error;
    }
    const auto is_fixed = [this](const Value* each) { return facts_.of(*each).sizes().has_value(); };
    if (std::ranges::all_of(inputs_, is_fixed)) break;  // nothing else to try
  }
  throw *refusal;  // NOLINT(bugprone-unchecked-optional-access): there was no other way out
}

void Trials::plan_others(const OpenDims& open) {
  if (has_bools_) plans_.push_back({.how = "random", .open = open, .seed = seed_, .flips = true});
  const auto sized = [&](const Symbol* symbol, std::int64_t size) {
    Plan plan{.how = "random", .open = open, .seed = seed_ + 1};
    plan.open.sizes[symbol] = size;
    if (!is_too_large(plan.open)) plans_.push_back(std::move(plan));
  };
  for (std::size_t i = 0; i < symbols_.size() && i < kMostVaried; ++i) {
    const std::int64_t size = size_of(symbols_[i], open);
    sized(symbols_[i], size * 2);
    if (size <= 4) sized(symbols_[i], size + 2);
    if (size > 1) sized(symbols_[i], size + 1);
  }
  if (has_floats_) plans_.push_back({.how = "edges", .open = open, .seed = seed_ + 2});
  plans_.push_back({.how = "ones", .open = open, .seed = seed_});
  plans_.push_back({.how = "zeros", .open = open, .seed = seed_});
}

Trial Trials::make(std::size_t i) const {
  if (i < plans_.size()) return made(plans_[i]);
  Plan noise = plans_.back();
  noise.how = "random";
  noise.seed = seed_ + 3 + i - plans_.size();
  return made(noise);
}

}  // namespace onnxpress::tasks

// Fills in open dims, and lists the sizes that searches try.
#include "onnxpress/inputs/sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/inputs/related_sizes.h"
#include "onnxpress/ops/core/polynomial.h"

namespace onnxpress::inputs {

namespace {

// Sizes for images are multiples of 32, for sound a second; the last ones are for models whose first dim is no batch.
constexpr SizePolicy::Size kSmall[] = {{1, 2},   {1, 1},    {1, 8},     {1, 32}, {1, 64}, {1, 224},
                                       {1, 512}, {1, 4096}, {1, 16000}, {2, 2},  {8, 8},  {64, 64}};
constexpr SizePolicy::Size kUsual[] = {{1, 224}, {1, 512}, {1, 16000}, {1, 64},   {1, 2},     {1, 1}, {1, 8}, {1, 32},
                                       {1, 64},  {1, 224}, {1, 512},   {1, 4096}, {1, 16000}, {2, 2}, {8, 8}, {64, 64}};
constexpr std::int64_t kLarger[] = {8, 64, 512, 4096, 16000};
constexpr std::size_t kMostEnlarged = 8;  // symbols

// Adds the rule "symbol = expression", or the same equation solved for a symbol of the expression if that takes no
// differences: "total = sequence + past" rather than "past = total - sequence", which small sizes make 0.
void add_rule(const Symbol* symbol, Dim expression, ops::DimMath& dims, SizeRules& rules) {
  const auto sum = dims.polynomial(expression);
  if (!sum) return;
  const auto is_negative = [](const ops::Term& term) { return term.coefficient < 0; };
  const auto negative = std::ranges::count_if(sum->terms, is_negative);
  const auto whole = std::ranges::find_if_not(sum->terms, is_negative);
  const bool is_difference = (negative > 0 || sum->constant < 0) && negative + 1 == std::ssize(sum->terms) &&
                             sum->constant <= 0 && whole->coefficient == 1 && whole->factors.size() == 1 &&
                             dims.is_plain(Dim::symbol(whole->factors.front()));
  if (!is_difference) {
    rules.emplace(symbol, SizeRule{expression});
    return;
  }
  const Symbol* const first = whole->factors.front();
  rules.emplace(first, SizeRule{dims.sub(Dim::symbol(first), expression), symbol});
}

}  // namespace

constexpr double kMostBytes = 1 << 30;
const SizePolicy kSmallSizes{.sizes = kSmall, .one_larger = true, .most_bytes = kMostBytes, .most_work = 1e11};
const SizePolicy kUsualSizes{.sizes = kUsual, .one_larger = true, .most_bytes = 2 * kMostBytes, .most_work = 1e12};

std::int64_t OpenDims::size_of(const Symbol& symbol, ops::DimMath& dims) const {
  const auto own = sizes.find(&symbol);
  if (own != sizes.end()) return own->second;
  if (const auto rule = follows.find(&symbol); rule != follows.end()) {
    const auto value = [&](const Symbol& each) { return std::optional(size_of(each, dims)); };
    const auto size = dims.value_of(rule->second.expression, value);
    const std::int64_t plus = rule->second.plus ? size_of(*rule->second.plus, dims) : 0;
    // A negative size may still be one that the model does not insist on.
    if (size && *size + plus >= 0) return *size + plus;
  }
  return batches.contains(&symbol) ? batch : others;
}

std::optional<ops::Shape> open_shape(const Value& input, const analysis::Facts& facts) {
  auto solved = facts.shape_of(input);
  const ops::Fact& fact = facts.of(input);
  if (!solved || !fact.shape) return solved;
  for (std::size_t axis = 0; axis < solved->size(); ++axis) {
    Dim& dim = (*solved)[axis];
    const bool is_expression = dim.is_symbol() && !facts.dims().is_plain(dim);
    if (is_expression && facts.dims().is_plain((*fact.shape)[axis])) dim = (*fact.shape)[axis];
  }
  return solved;
}

OpenDims open_dims(const Model& model, const analysis::Facts& facts, std::int64_t batch, std::int64_t others) {
  OpenDims open{.batch = batch, .others = others, .batches = {}};
  for (const ValueInfo* info : model.graph().inputs()) {
    const auto shape = open_shape(*info->value, facts);
    if (!shape) continue;
    if (shape->size() > 1 && shape->front().symbol()) open.batches.insert(shape->front().symbol());
    for (const Dim dim : *shape) {
      const Dim solved = facts.dims().resolve(dim);
      if (dim.is_symbol() && solved != dim) add_rule(dim.symbol(), solved, facts.dims(), open.follows);
    }
  }
  return open;
}

ops::Sizes sizes_to_make(const Value& input, const analysis::Facts& facts, const OpenDims& open,
                         std::vector<std::string>& assumed) {
  const auto shape = open_shape(input, facts);
  if (!shape) {
    throw Error("", fmt::format("the shape of input {} is not known", quote_name(input.name())),
                fmt::format("use option `shape={}=...`", input.name()));
  }
  ops::Sizes sizes;
  for (const Dim dim : *shape) {
    if (const auto size = dim.size()) {
      sizes.push_back(*size);
      continue;
    }
    const bool is_batch = dim.is_unknown() && sizes.empty() && shape->size() > 1;
    sizes.push_back(dim.symbol() ? open.size_of(*dim.symbol(), facts.dims()) : is_batch ? open.batch : open.others);
    const std::string name = to_string(dim);
    if (std::find(assumed.begin(), assumed.end(), name) == assumed.end()) assumed.push_back(name);
  }
  return sizes;
}

std::vector<const Symbol*> open_symbols(const Model& model, const analysis::Facts& facts) {
  std::vector<const Symbol*> symbols;
  for (const ValueInfo* info : inputs_to_give(model)) {
    if (facts.of(*info->value).kind == ops::Fact::Kind::kOptional) continue;
    for (const Dim dim : open_shape(*info->value, facts).value_or(ops::Shape())) {
      if (dim.symbol() && std::ranges::find(symbols, dim.symbol()) == symbols.end()) symbols.push_back(dim.symbol());
    }
  }
  return symbols;
}

std::vector<OpenDims> sizes_to_try(const SizePolicy& policy, const Model& model, const analysis::Facts& facts) {
  const std::vector<const Symbol*> symbols = open_symbols(model, facts);
  const SizeRules related = related_sizes(model, facts);
  std::vector<OpenDims> all;
  const auto add = [&](std::int64_t batch, std::int64_t others, const SizeRules& rules) {
    all.push_back(open_dims(model, facts, batch, others));
    all.back().follows.insert(rules.begin(), rules.end());
  };
  const auto add_all = [&](const SizeRules& rules) {
    for (const auto& [batch, others] : policy.sizes) add(batch, others, rules);
    if (!policy.one_larger || symbols.size() < 2) return;
    for (std::size_t i = 0; i < symbols.size() && i < kMostEnlarged; ++i) {
      for (const std::int64_t size : kLarger) {
        add(1, 1, rules);
        if (all.back().follows.contains(symbols[i])) {
          all.pop_back();
          break;
        }
        all.back().sizes[symbols[i]] = size;
      }
    }
  };
  if (!related.empty()) add_all(related);
  add_all({});
  return all;
}

}  // namespace onnxpress::inputs

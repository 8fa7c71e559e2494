// Parses expressions from their text; every symbol is known in advance, so names are never ambiguous.
#include "onnxpress/tasks/shapes/program.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

#include "onnxpress/base/from_chars.h"
#include "onnxpress/ops/core/polynomial.h"

namespace onnxpress {

namespace {

constexpr std::size_t kMostDepth = 200;

using Kind = Program::Kind;

constexpr std::string_view kNames[] = {"number",       "symbol", "add", "subtract", "multiply",
                                       "floor_divide", "min",    "max", "broadcast"};

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

std::optional<std::int64_t> result_of(Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (kind) {
    case Kind::kAdd:
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case Kind::kSubtract:
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case Kind::kMultiply:
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    case Kind::kFloorDivide:
      overflows = b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min());
      if (!overflows) result = floor_of(a, b);
      break;
    case Kind::kMin:
      return std::min(a, b);
    case Kind::kMax:
      return std::max(a, b);
    default:  // a broadcast
      return a == 1 ? b : a;
  }
  return overflows ? std::nullopt : std::optional(result);
}

}  // namespace

// sum := ['-'] product {('+' | '-') product}; product := part {('*' | '/') part}, where '/' rounds down.
struct Program::Parser {
  Program& program;
  std::string_view text;
  const std::vector<std::size_t>& by_length;  // symbols, longest name first
  std::size_t depth = 0;
  bool failed = false;

  bool take(std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  }
  std::uint32_t fail() {
    failed = true;
    return kUnknown;
  }
  std::uint32_t make(Kind kind, std::uint32_t a, std::uint32_t b) {
    return failed ? kUnknown : program.step({kind, 0, a, b});
  }
  std::uint32_t number(std::int64_t value) { return program.step({Kind::kNumber, value, 0, 0}); }

  std::uint32_t sum() {
    if (++depth > kMostDepth) return fail();
    std::uint32_t left = take("-") ? make(Kind::kSubtract, number(0), product()) : product();
    while (!failed) {
      if (take("+")) {
        left = make(Kind::kAdd, left, product());
      } else if (take("-")) {
        left = make(Kind::kSubtract, left, product());
      } else {
        break;
      }
    }
    --depth;
    return left;
  }
  std::uint32_t product() {
    std::uint32_t left = part();
    while (!failed) {
      if (take("*")) {
        left = make(Kind::kMultiply, left, part());
      } else if (take("/")) {
        left = make(Kind::kFloorDivide, left, part());
      } else {
        break;
      }
    }
    return left;
  }
  std::uint32_t two(Kind kind) {
    const std::uint32_t a = sum();
    if (!take(",")) return fail();
    const std::uint32_t b = sum();
    return take(")") ? make(kind, a, b) : fail();
  }
  std::uint32_t part() {
    for (const std::size_t i : by_length) {
      if (take(program.symbols_[i]->name)) return program.step({Kind::kSymbol, static_cast<std::int64_t>(i), 0, 0});
    }
    if (take("min(")) return two(Kind::kMin);
    if (take("max(")) return two(Kind::kMax);
    if (take("broadcast(")) return two(Kind::kBroadcast);
    if (take("floor(") || take("(")) {
      const std::uint32_t inner = sum();
      return take(")") ? inner : fail();
    }
    std::int64_t value = 0;
    const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return fail();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number(value);
  }
};

std::uint32_t Program::step(const Step& wanted) {
  const auto [found, is_new] =
      known_.try_emplace({wanted.kind, wanted.number, wanted.a, wanted.b}, static_cast<std::uint32_t>(steps_.size()));
  if (is_new) steps_.push_back(wanted);
  return found->second;
}

std::uint32_t Program::add(Dim dim) {
  if (dim.is_unknown()) return kUnknown;
  if (const auto size = dim.size()) return step({Kind::kNumber, *size, 0, 0});
  std::vector<std::size_t> mentioned;
  dims_.value_of(dim, [&](const Symbol& symbol) {
    auto found = std::ranges::find(symbols_, &symbol);
    if (found == symbols_.end()) found = symbols_.insert(symbols_.end(), &symbol);
    mentioned.push_back(static_cast<std::size_t>(found - symbols_.begin()));
    return std::optional<std::int64_t>(1);
  });
  std::ranges::sort(mentioned, std::greater<>(), [this](std::size_t i) { return symbols_[i]->name.size(); });
  if (dims_.is_plain(dim) && !mentioned.empty())
    return step({Kind::kSymbol, static_cast<std::int64_t>(mentioned.front()), 0, 0});
  Parser parser{*this, dim.symbol()->name, mentioned};
  const std::uint32_t found = parser.sum();
  if (parser.failed || !parser.text.empty() || !agrees(dim, found)) return kUnknown;
  return found;
}

bool Program::agrees(Dim dim, std::uint32_t found) const {
  constexpr std::int64_t kTried[][3] = {{1, 1, 1}, {7, 13, 29}, {64, 31, 5}, {1000, 224, 17}, {2, 3, 129}};
  for (const auto& tried : kTried) {
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < symbols_.size(); ++i) sizes.push_back(tried[i % 3] + static_cast<std::int64_t>(i / 3));
    const auto expected = dims_.value_of(dim, [&](const Symbol& symbol) {
      const auto at = std::ranges::find(symbols_, &symbol);
      return at == symbols_.end() ? std::nullopt
                                  : std::optional(sizes[static_cast<std::size_t>(at - symbols_.begin())]);
    });
    if (expected && run(sizes)[found] != expected) return false;
  }
  return true;
}

std::vector<std::optional<std::int64_t>> Program::run(const std::vector<std::int64_t>& sizes) const {
  std::vector<std::optional<std::int64_t>> values;
  for (const Step& each : steps_) {
    if (each.kind == Kind::kNumber) {
      values.emplace_back(each.number);
    } else if (each.kind == Kind::kSymbol) {
      const auto i = static_cast<std::size_t>(each.number);
      values.push_back(i < sizes.size() ? std::optional(sizes[i]) : std::nullopt);
    } else {
      const auto a = values[each.a], b = values[each.b];
      values.push_back(a && b ? result_of(each.kind, *a, *b) : std::nullopt);
    }
  }
  return values;
}

std::string_view name_of(Program::Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Program::Kind kind_named(std::string_view name) {
  return static_cast<Program::Kind>(std::ranges::find(kNames, name) - std::begin(kNames));
}

void run_steps(const std::vector<Program::Step>& steps, const std::vector<std::int64_t>& sizes,
               std::vector<std::int64_t>& results) {
  results.resize(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Program::Step& each = steps[i];
    if (each.kind == Kind::kNumber) {
      results[i] = each.number;
    } else if (each.kind == Kind::kSymbol) {
      results[i] = sizes[static_cast<std::size_t>(each.number)];
    } else {
      results[i] = result_of(each.kind, results[each.a], results[each.b]).value_or(-1);
    }
  }
}

}  // namespace onnxpress

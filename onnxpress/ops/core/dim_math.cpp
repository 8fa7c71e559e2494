// Arithmetic on expressions: built in normal form and interned.
#include <algorithm>
#include <numeric>
#include <utility>

#include "onnxpress/ops/core/dim_math_state.h"

namespace onnxpress::ops {

namespace {

using Kind = DimMath::State::Kind;

std::string text_of(Dim dim) { return to_string(dim); }

// The fast path for plain numbers, which most dims are.
Dim size_or_unknown(bool overflows, std::int64_t size) {
  return overflows || !Dim::fits(size) ? Dim() : Dim::size(size);
}

}  // namespace

std::size_t DimMath::State::HashOperands::operator()(const Operands& operands) const {
  const auto word = [](Dim dim) {
    return dim.is_size() ? static_cast<std::size_t>(*dim.size()) : std::size_t{dim.symbol()->id} << 40 | 1;
  };
  return (word(operands.a) * 0x9e3779b97f4a7c15 ^ word(operands.b)) * 0xff51afd7ed558ccd + operands.is_product;
}

DimMath::DimMath(Context& context) : state_(std::make_unique<State>(context)) {}
DimMath::~DimMath() = default;

Dim DimMath::add(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown()) return {};
  if (a.is_size() && b.is_size()) {
    std::int64_t sum = 0;
    const bool overflows = __builtin_add_overflow(*a.size(), *b.size(), &sum);
    return size_or_unknown(overflows, sum);
  }
  if (a == Dim::size(0)) return b;
  if (b == Dim::size(0)) return a;
  return state_->remembered({a, b, false},
                            [&] { return state_->dim_of(ops::sum(state_->polynomial(a), state_->polynomial(b))); });
}

Dim DimMath::sub(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown()) return {};
  if (a.is_size() && b.is_size()) {
    std::int64_t rest = 0;
    const bool overflows = __builtin_sub_overflow(*a.size(), *b.size(), &rest);
    return size_or_unknown(overflows, rest);
  }
  return state_->dim_of(ops::sum(state_->polynomial(a), state_->polynomial(b), -1));
}

Dim DimMath::mul(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a == Dim::size(0) || b == Dim::size(0)) return Dim::size(0);
  if (a.is_unknown() || b.is_unknown()) return {};
  if (a.is_size() && b.is_size()) {
    std::int64_t made = 0;
    const bool overflows = __builtin_mul_overflow(*a.size(), *b.size(), &made);
    return size_or_unknown(overflows, made);
  }
  if (a == Dim::size(1)) return b;
  if (b == Dim::size(1)) return a;
  return state_->remembered({a, b, true},
                            [&] { return state_->dim_of(ops::product(state_->polynomial(a), state_->polynomial(b))); });
}

Dim DimMath::product(std::span<const Dim> dims) {
  Dim made = Dim::size(1);
  for (const Dim dim : dims) made = mul(made, dim);
  return made;
}

Dim DimMath::floor_div(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown() || b == Dim::size(0)) return {};
  if (a.is_size() && b.is_size()) {
    const std::int64_t n = *a.size(), k = *b.size();
    return Dim::size(k > 0 ? floor_of(n, k) : floor_of(-n, -k));
  }
  const Polynomial p = state_->polynomial(a), q = state_->polynomial(b);
  if (const auto exact = ops::quotient(p, q)) return state_->dim_of(exact);
  if (!b.size()) return state_->atom(Kind::kFloorDiv, a, b, fmt::format("floor(({})/({}))", text_of(a), text_of(b)));
  const std::int64_t k = *b.size();
  if (k < 0) return floor_div(sub(Dim::size(0), a), Dim::size(-k));

  // floor((k*x + r)/k) = x + floor(r/k): takes out the terms that k divides, and the whole part of the constant.
  Polynomial whole, rest;
  std::int64_t common = k;
  for (const Term& term : p.terms) {
    if (term.coefficient % k == 0) {
      whole.terms.push_back({term.coefficient / k, term.factors});
    } else {
      rest.terms.push_back(term);
      common = std::gcd(common, term.coefficient);
    }
  }
  whole.constant = floor_of(p.constant, k);
  rest.constant = p.constant - whole.constant * k;
  // floor((g*x + c)/(g*m)) = floor((x + floor(c/g))/m).
  std::int64_t divisor = k / common;
  rest.constant /= common;
  for (Term& term : rest.terms) term.coefficient /= common;
  // floor((floor(x/m) + c)/n) = floor((x + c*m)/(m*n)).
  if (rest.terms.size() == 1 && rest.terms[0].coefficient == 1 && rest.terms[0].factors.size() == 1) {
    const State::Entry& inner = state_->entry(rest.terms[0].factors[0]);
    std::int64_t deeper = 0;
    if (inner.kind == Kind::kFloorDiv && inner.b.size() && !__builtin_mul_overflow(divisor, *inner.b.size(), &deeper) &&
        Dim::fits(deeper)) {
      const Dim numerator = add(inner.a, mul(Dim::size(rest.constant), inner.b));
      return add(state_->dim_of(whole), floor_div(numerator, Dim::size(deeper)));
    }
  }
  const auto low = state_->bound(rest, State::kMostDepth), high = state_->bound(negated(rest), State::kMostDepth);
  if (low && high && floor_of(*low, divisor) == floor_of(-*high, divisor)) {
    whole.constant += floor_of(*low, divisor);
    return state_->dim_of(whole);
  }
  const Dim inside = state_->dim_of(rest);
  if (inside.is_unknown()) return {};
  const bool bracket =
      state_->polynomial(inside).terms.size() > 1 || rest.constant != 0 || rest.terms[0].coefficient != 1;
  const Dim made =
      state_->atom(Kind::kFloorDiv, inside, Dim::size(divisor),
                   fmt::format(fmt::runtime(bracket ? "floor(({})/{})" : "floor({}/{})"), text_of(inside), divisor));
  return made.is_unknown() ? Dim() : add(state_->dim_of(whole), made);
}

Dim DimMath::ceil_div(Dim a, Dim b) {
  if (b.size() && *b.size() > 0) return floor_div(add(a, Dim::size(*b.size() - 1)), b);
  return sub(Dim::size(0), floor_div(sub(Dim::size(0), a), b));
}

// a - b * floor(a / b): in the same normal form as floor_div(), so that the two cancel in sums.
Dim DimMath::mod(Dim a, Dim b) { return sub(a, mul(b, floor_div(a, b))); }

Dim DimMath::exact_div(Dim a, Dim b) { return floor_div(a, b); }

namespace {

bool in_order(Dim a, Dim b) {
  if (a.is_size() != b.is_size()) return b.is_size();
  return a.is_size() ? *a.size() <= *b.size() : a.symbol()->id <= b.symbol()->id;
}

}  // namespace

Dim DimMath::min(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown()) return {};
  if (not_above(a, b)) return a;
  if (not_above(b, a)) return b;
  if (!in_order(a, b)) std::swap(a, b);
  return state_->atom(Kind::kMin, a, b, fmt::format("min({},{})", text_of(a), text_of(b)));
}

Dim DimMath::max(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown()) return {};
  if (not_above(a, b)) return b;
  if (not_above(b, a)) return a;
  if (!in_order(a, b)) std::swap(a, b);
  return state_->atom(Kind::kMax, a, b, fmt::format("max({},{})", text_of(a), text_of(b)));
}

Dim DimMath::broadcast(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a == b) return a;
  if (a == Dim::size(1)) return b;
  if (b == Dim::size(1)) return a;
  // Only 1 can be broadcast with another size, so the one that is not 1 is the result.
  if (a.is_size() || (!a.is_unknown() && at_least(a, 2))) return a;
  if (b.is_size() || (!b.is_unknown() && at_least(b, 2))) return b;
  if (a.is_unknown() || b.is_unknown()) return {};
  for (const auto& [whole, part] : {std::pair(a, b), std::pair(b, a)}) {
    const State::Entry& entry = state_->entry(whole.symbol());
    if (entry.kind == Kind::kBroadcast && (entry.a == part || entry.b == part)) return whole;
    // n and min(n,c), as of positions that a table of c rows gives: they fit only if they are equal or the latter is 1.
    if (entry.kind == Kind::kMin &&
        ((entry.a == part && at_least(entry.b, 1)) || (entry.b == part && at_least(entry.a, 1))))
      return part;
  }
  if (!in_order(a, b)) std::swap(a, b);
  return state_->atom(Kind::kBroadcast, a, b, fmt::format("broadcast({},{})", text_of(a), text_of(b)));
}

Dim DimMath::fresh(std::string_view hint, bool nonnegative) {
  std::string name(hint);
  while (state_->context.has_symbol(name)) name = fmt::format("{}_{}", hint, ++state_->fresh_count);
  const Symbol* symbol = state_->context.symbol(name);
  State::Entry& entry = state_->entry(symbol);
  entry.nonnegative = nonnegative;
  entry.made = true;
  return Dim::symbol(symbol);
}

bool DimMath::is_plain(Dim dim) const {
  if (!dim.is_symbol()) return false;
  const auto found = state_->entries.find(dim.symbol()->id);
  return found == state_->entries.end() || found->second.kind == Kind::kSymbol;
}

bool DimMath::is_named(Dim dim) const {
  if (!is_plain(dim)) return false;
  const auto found = state_->entries.find(dim.symbol()->id);
  return found == state_->entries.end() || !found->second.made;
}

std::optional<std::int64_t> DimMath::value_of(Dim dim, const SizeOf& size_of) {
  if (dim.is_unknown()) return std::nullopt;
  if (dim.is_size()) return dim.size();
  if (is_plain(dim)) return size_of(*dim.symbol());
  const State::Entry& entry = state_->entry(dim.symbol());
  if (entry.kind == Kind::kSum) {
    std::int64_t made = entry.sum.constant;
    for (const Term& term : entry.sum.terms) {
      std::int64_t part = term.coefficient;
      for (const Symbol* factor : term.factors) {
        const auto value = value_of(Dim::symbol(factor), size_of);
        if (!value || __builtin_mul_overflow(part, *value, &part)) return std::nullopt;
      }
      if (__builtin_add_overflow(made, part, &made)) return std::nullopt;
    }
    return made;
  }
  const auto a = value_of(entry.a, size_of), b = value_of(entry.b, size_of);
  if (!a || !b) return std::nullopt;
  switch (entry.kind) {
    case Kind::kFloorDiv:
      return *b == 0 ? std::nullopt : std::optional(floor_of(*a, *b));
    case Kind::kMin:
      return std::min(*a, *b);
    case Kind::kMax:
      return std::max(*a, *b);
    default:
      return *a == 1 ? *b : *a;  // broadcast
  }
}

std::optional<Polynomial> DimMath::polynomial(Dim dim) const {
  if (dim.is_unknown()) return std::nullopt;
  return state_->polynomial(dim);
}

std::vector<Dim> resolved(DimMath& math, std::span<const Dim> shape) {
  std::vector<Dim> made;
  for (const Dim dim : shape) made.push_back(math.resolve(dim));
  return made;
}

}  // namespace onnxpress::ops

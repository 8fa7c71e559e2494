// Proves bounds and equality of expressions.
#include <algorithm>

#include "onnxpress/ops/core/dim_math_state.h"

namespace onnxpress::ops {

std::optional<std::int64_t> DimMath::State::symbol_bound(const Symbol* symbol, bool low, int depth) {
  const auto found = entries.find(symbol->id);
  if (found == entries.end()) return low ? std::optional<std::int64_t>(0) : std::nullopt;
  const Entry entry = found->second;  // a copy, because the proofs below may add entries
  const auto of = [&](Dim dim, bool lower) -> std::optional<std::int64_t> {
    const Polynomial p = polynomial(dim);
    const auto found_bound = bound(lower ? p : negated(p), depth - 1);
    if (!found_bound) return std::nullopt;
    return lower ? *found_bound : -*found_bound;
  };
  switch (entry.kind) {
    case Kind::kSymbol:
      return low && entry.nonnegative ? std::optional<std::int64_t>(0) : std::nullopt;
    case Kind::kSum:
      return of(Dim::symbol(symbol), low);
    case Kind::kFloorDiv: {
      if (!entry.b.size()) {
        const auto numerator = of(entry.a, true), denominator = of(entry.b, true);
        return low && numerator && *numerator >= 0 && denominator && *denominator >= 0 ? std::optional<std::int64_t>(0)
                                                                                       : std::nullopt;
      }
      const auto inner = of(entry.a, low);
      return inner ? std::optional(floor_of(*inner, *entry.b.size())) : std::nullopt;
    }
    case Kind::kMin:
    case Kind::kMax:
    case Kind::kBroadcast: {
      const auto a = of(entry.a, low), b = of(entry.b, low);
      if (a && b)
        return (entry.kind == Kind::kMax) == low && entry.kind != Kind::kBroadcast ? std::max(*a, *b)
               : low                                                               ? std::min(*a, *b)
                                                                                   : std::max(*a, *b);
      if (entry.kind == Kind::kMin && !low) return a ? a : b;
      if (entry.kind == Kind::kMax && low) return a ? a : b;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> DimMath::State::term_bound(const Term& term, int depth) {
  const bool low = term.coefficient > 0;
  std::int64_t made = term.coefficient;
  for (const Symbol* factor : term.factors) {
    const auto own = symbol_bound(factor, low, depth);
    if (!own) return std::nullopt;
    // With several factors, the product of the bounds is a bound only if no factor is negative.
    if (term.factors.size() > 1) {
      const auto lowest = symbol_bound(factor, true, depth);
      if (!lowest || *lowest < 0) return std::nullopt;
    }
    if (__builtin_mul_overflow(made, *own, &made) || !Dim::fits(made)) return std::nullopt;
  }
  return made;
}

// A lower bound of the polynomial.
std::optional<std::int64_t> DimMath::State::bound(const Polynomial& p, int depth) {
  if (p.is_constant()) return p.constant;
  if (depth <= 0) return std::nullopt;
  std::optional<std::int64_t> made = p.constant;
  for (const Term& term : p.terms) {
    const auto part = term_bound(term, depth);
    if (!part || __builtin_add_overflow(*made, *part, &*made) || !Dim::fits(*made)) {
      made.reset();
      break;
    }
  }
  // Bounds of single terms may be weaker than a bound of several together: N - min(N,5) is not negative.
  const auto together = better_bound(p, depth);
  return made && together ? std::max(*made, *together) : made ? made : together;
}

// Bounds terms together, using -min(a,b) >= -a, max(a,b) >= a and -floor(x/k) >= -x/k.
std::optional<std::int64_t> DimMath::State::better_bound(const Polynomial& p, int depth) {
  std::optional<std::int64_t> best;
  if (p.terms.size() < 2) return best;
  for (const Term& term : p.terms) {
    if (term.factors.size() != 1) continue;
    const auto found = entries.find(term.factors[0]->id);
    if (found == entries.end()) continue;
    const Entry entry = found->second;
    Polynomial one;
    one.terms.push_back(term);
    const auto rest = ops::sum(p, one, -1);
    if (!rest) continue;
    const auto take = [&](Dim instead, std::int64_t scale) {
      // scale * rest + coefficient * instead >= scale * p
      const auto scaled = ops::product(*rest, Polynomial{scale, {}});
      const auto whole = scaled ? ops::sum(*scaled, polynomial(instead), term.coefficient) : std::nullopt;
      const auto low = whole ? bound(*whole, depth - 1) : std::nullopt;
      if (!low) return;
      const std::int64_t divided = -floor_of(-*low, scale);
      if (!best || divided > *best) best = divided;
    };
    if ((entry.kind == Kind::kMin && term.coefficient < 0) || (entry.kind == Kind::kMax && term.coefficient > 0)) {
      take(entry.a, 1);
      take(entry.b, 1);
    } else if (entry.kind == Kind::kFloorDiv && term.coefficient < 0 && entry.b.size()) {
      take(entry.a, *entry.b.size());
    } else if (entry.kind == Kind::kFloorDiv && term.coefficient > 0 && entry.b.size()) {
      // floor(x/k) >= (x - k + 1)/k
      const auto lowered = ops::sum(polynomial(entry.a), Polynomial{1 - *entry.b.size(), {}});
      if (lowered) take(dim_of(lowered), *entry.b.size());
    }
  }
  return best;
}

std::optional<std::int64_t> DimMath::lower_bound(Dim a) {
  a = resolve(a);
  if (a.is_unknown()) return std::nullopt;
  return state_->bound(state_->polynomial(a), State::kMostDepth);
}

std::optional<std::int64_t> DimMath::upper_bound(Dim a) {
  a = resolve(a);
  if (a.is_unknown()) return std::nullopt;
  const auto low = state_->bound(negated(state_->polynomial(a)), State::kMostDepth);
  return low ? std::optional(-*low) : std::nullopt;
}

bool DimMath::at_least(Dim a, std::int64_t bound) {
  const auto low = lower_bound(a);
  return low && *low >= bound;
}

bool DimMath::at_most(Dim a, std::int64_t bound) {
  const auto high = upper_bound(a);
  return high && *high <= bound;
}

bool DimMath::equal(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  return !a.is_unknown() && a == b;
}

}  // namespace onnxpress::ops

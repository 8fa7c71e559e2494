// Expressions over symbols: built in normal form, interned, bounded, unified.
#include "onnxpress/ops/core/dim_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/ops/core/polynomial.h"

namespace onnxpress::ops {

namespace {

enum class Kind : std::uint8_t { kSymbol, kSum, kFloorDiv, kMin, kMax, kBroadcast };

constexpr int kMostDepth = 6;  // of proofs that look into expressions

}  // namespace

struct DimMath::State {
  struct Entry {
    Kind kind = Kind::kSymbol;
    bool nonnegative = true;  // symbols: every dim is; fresh ones when asked for
    bool made = false;        // by fresh(): goes first when two are unified
    Dim a, b;                 // operands of the atoms
    Polynomial sum;           // of a kSum
    Dim replacement;          // what it was unified with; unknown: nothing
    Dim resolved;             // as of `epoch`
    std::uint64_t epoch = 0;
  };

  Context& context;
  std::unordered_map<std::uint32_t, Entry> entries;  // by symbol id
  std::unordered_map<std::string, const Symbol*> interned;
  std::uint64_t epoch = 1;  // grows with each unification
  bool unified = false;
  std::uint64_t fresh_count = 0;
  std::uint32_t first_solvable = 0;  // ids of symbols below this are not solved for

  struct Equation {
    Dim a, b;
    std::uint32_t first_solvable, tag;
  };
  bool holding = false;
  std::uint32_t tag = 0;
  std::vector<Equation> held;

  explicit State(Context& shared) : context(shared) {}

  Entry& entry(const Symbol* symbol) { return entries[symbol->id]; }

  Polynomial polynomial(Dim dim) {
    Polynomial made;
    if (const auto size = dim.size()) {
      made.constant = *size;
      return made;
    }
    const Symbol* symbol = dim.symbol();
    const auto found = entries.find(symbol->id);
    if (found != entries.end() && found->second.kind == Kind::kSum) return found->second.sum;
    made.terms.push_back({1, {symbol}});
    return made;
  }

  const Symbol* intern(const std::string& key, const std::string& text, Entry value) {
    const auto [at, is_new] = interned.try_emplace(key, nullptr);
    if (is_new) {
      at->second = context.create_expression(text);
      entries.emplace(at->second->id, std::move(value));
    }
    return at->second;
  }

  Dim dim_of(const std::optional<Polynomial>& polynomial) {
    if (!polynomial) return {};
    if (polynomial->is_constant()) return Dim::size(polynomial->constant);
    const Term& first = polynomial->terms.front();
    if (polynomial->constant == 0 && polynomial->terms.size() == 1 && first.coefficient == 1 &&
        first.factors.size() == 1) {
      return Dim::symbol(first.factors[0]);
    }
    Entry value;
    value.kind = Kind::kSum;
    value.sum = *polynomial;
    return Dim::symbol(intern(key_of(*polynomial), to_string(*polynomial), std::move(value)));
  }

  static std::string operand_key(Dim dim) {
    return dim.is_size() ? fmt::format("{}", *dim.size()) : fmt::format("s{}", dim.symbol()->id);
  }

  Dim atom(Kind kind, Dim a, Dim b, const std::string& text) {
    if (text.size() > kLongestText) return {};
    Entry value;
    value.kind = kind;
    value.a = a;
    value.b = b;
    return Dim::symbol(intern(fmt::format("{}:{},{}", static_cast<int>(kind), operand_key(a), operand_key(b)), text,
                              std::move(value)));
  }

  // Bounds. `low` asks for the lower one.
  std::optional<std::int64_t> bound(const Polynomial& p, int depth);
  std::optional<std::int64_t> symbol_bound(const Symbol* symbol, bool low, int depth);
  std::optional<std::int64_t> term_bound(const Term& term, int depth);
  std::optional<std::int64_t> better_bound(const Polynomial& p, int depth);

  Dim substitute(DimMath& math, Dim dim);
  bool mentions(Dim dim, const Symbol* symbol, int depth);

  static constexpr std::size_t kLongestText = 512;
};

DimMath::DimMath(Context& context) : state_(std::make_unique<State>(context)) {}
DimMath::~DimMath() = default;

namespace {

std::string text_of(Dim dim) { return to_string(dim); }

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

Polynomial negated(const Polynomial& p) {
  Polynomial made = p;
  made.constant = -made.constant;
  for (Term& term : made.terms) term.coefficient = -term.coefficient;
  return made;
}

}  // namespace

// --- Arithmetic

Dim DimMath::add(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown()) return {};
  return state_->dim_of(ops::sum(state_->polynomial(a), state_->polynomial(b)));
}

Dim DimMath::sub(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown()) return {};
  return state_->dim_of(ops::sum(state_->polynomial(a), state_->polynomial(b), -1));
}

Dim DimMath::mul(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a == Dim::size(0) || b == Dim::size(0)) return Dim::size(0);
  if (a.is_unknown() || b.is_unknown()) return {};
  return state_->dim_of(ops::product(state_->polynomial(a), state_->polynomial(b)));
}

Dim DimMath::product(std::span<const Dim> dims) {
  Dim made = Dim::size(1);
  for (const Dim dim : dims) made = mul(made, dim);
  return made;
}

Dim DimMath::floor_div(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown() || b == Dim::size(0)) return {};
  const Polynomial p = state_->polynomial(a), q = state_->polynomial(b);
  if (const auto exact = ops::quotient(p, q)) return state_->dim_of(exact);
  if (!b.size()) return state_->atom(Kind::kFloorDiv, a, b, fmt::format("floor(({})/({}))", text_of(a), text_of(b)));
  const std::int64_t k = *b.size();
  if (k < 0) return floor_div(sub(Dim::size(0), a), Dim::size(-k));

  // floor((k*x + r)/k) = x + floor(r/k): take out what divides, and the whole part of the constant.
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
  const auto low = state_->bound(rest, kMostDepth), high = state_->bound(negated(rest), kMostDepth);
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

// a - b * floor(a / b): one normal form for both, so that what they add up to is seen.
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
  // Only 1 can stand beside another size: what is not 1 wins.
  if (a.is_size() || (!a.is_unknown() && at_least(a, 2))) return a;
  if (b.is_size() || (!b.is_unknown() && at_least(b, 2))) return b;
  if (a.is_unknown() || b.is_unknown()) return {};
  for (const auto& [whole, part] : {std::pair(a, b), std::pair(b, a)}) {
    const State::Entry& entry = state_->entry(whole.symbol());
    if (entry.kind == Kind::kBroadcast && (entry.a == part || entry.b == part)) return whole;
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

// --- Bounds

std::optional<std::int64_t> DimMath::State::symbol_bound(const Symbol* symbol, bool low, int depth) {
  const auto found = entries.find(symbol->id);
  if (found == entries.end()) return low ? std::optional<std::int64_t>(0) : std::nullopt;
  const Entry entry = found->second;  // a copy: proofs below may add entries
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
    // With several factors only products of numbers that are not negative are bounded by the products of bounds.
    if (term.factors.size() > 1) {
      const auto lowest = symbol_bound(factor, true, depth);
      if (!lowest || *lowest < 0) return std::nullopt;
    }
    if (__builtin_mul_overflow(made, *own, &made) || !Dim::fits(made)) return std::nullopt;
  }
  return made;
}

// A number that the polynomial is never below.
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
  // Each term by itself may say less than the terms together: N - min(N,5) is not negative.
  const auto together = better_bound(p, depth);
  return made && together ? std::max(*made, *together) : made ? made : together;
}

// Terms that belong together: -min(a,b) >= -a, max(a,b) >= a, -floor(x/k) >= -x/k.
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
  return state_->bound(state_->polynomial(a), kMostDepth);
}

std::optional<std::int64_t> DimMath::upper_bound(Dim a) {
  a = resolve(a);
  if (a.is_unknown()) return std::nullopt;
  const auto low = state_->bound(negated(state_->polynomial(a)), kMostDepth);
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

// --- Unification

bool DimMath::State::mentions(Dim dim, const Symbol* symbol, int depth) {
  if (!dim.is_symbol()) return false;
  if (dim.symbol() == symbol || depth <= 0) return true;
  const auto found = entries.find(dim.symbol()->id);
  if (found == entries.end()) return false;
  const Entry& entry = found->second;
  if (entry.kind == Kind::kSymbol) return false;
  if (entry.kind != Kind::kSum) return mentions(entry.a, symbol, depth - 1) || mentions(entry.b, symbol, depth - 1);
  for (const Term& term : entry.sum.terms) {
    for (const Symbol* factor : term.factors) {
      if (mentions(Dim::symbol(factor), symbol, depth - 1)) return true;
    }
  }
  return false;
}

DimMath::Scope::Scope(DimMath& math) : math_(math), outer_(math.state_->first_solvable) {
  math.state_->first_solvable = math.state_->context.symbol_count;
}

DimMath::Scope::~Scope() { math_.state_->first_solvable = outer_; }

void DimMath::hold() { state_->holding = true; }

void DimMath::set_tag(std::uint32_t tag) { state_->tag = tag; }

std::vector<std::uint32_t> DimMath::release() {
  state_->holding = false;
  std::vector<std::uint32_t> impossible;
  const std::uint32_t outer = state_->first_solvable;
  for (const State::Equation& each : std::exchange(state_->held, {})) {
    state_->first_solvable = each.first_solvable;
    if (!unify(each.a, each.b)) impossible.push_back(each.tag);
  }
  state_->first_solvable = outer;
  return impossible;
}

bool DimMath::unify(Dim a, Dim b) {
  a = resolve(a), b = resolve(b);
  if (a.is_unknown() || b.is_unknown() || a == b) return true;
  if (a.is_size() && b.is_size()) return false;
  return solve(a, b);
}

bool DimMath::solve(Dim a, Dim b) {
  const auto difference = ops::sum(state_->polynomial(a), state_->polynomial(b), -1);
  if (!difference) return true;
  // c*N + d = 0 has one answer, or none.
  if (difference->terms.size() == 1 && difference->terms[0].factors.size() == 1 &&
      difference->constant % difference->terms[0].coefficient != 0) {
    return false;
  }
  // Nor is there one for N + 3 = 0: no dim is negative.
  const auto low = state_->bound(*difference, kMostDepth), high = state_->bound(negated(*difference), kMostDepth);
  if ((low && *low > 0) || (high && *high > 0)) return false;
  if (state_->holding) {
    state_->held.push_back({a, b, state_->first_solvable, state_->tag});
    return true;
  }
  // Solve for a plain symbol: one that we made, if there is one, and the youngest of those.
  const Term* chosen = nullptr;
  for (const Term& term : difference->terms) {
    if (term.factors.size() != 1) continue;
    const bool alone = difference->terms.size() == 1;
    if (!alone && term.coefficient != 1 && term.coefficient != -1) continue;
    const Symbol* symbol = term.factors[0];
    if (symbol->id < state_->first_solvable || state_->entry(symbol).kind != Kind::kSymbol) continue;
    Polynomial others = *difference;
    std::erase_if(others.terms, [&](const Term& each) { return each.factors == term.factors; });
    if (state_->mentions(state_->dim_of(others), symbol, 2 * kMostDepth)) continue;
    const auto rank = [&](const Term& each) {
      return std::pair(state_->entry(each.factors[0]).made, each.factors[0]->id);
    };
    if (!chosen || rank(term) > rank(*chosen)) chosen = &term;
  }
  if (!chosen) return true;  // forced, but in no form that helps
  const Symbol* symbol = chosen->factors[0];
  Polynomial others = *difference;
  std::erase_if(others.terms, [&](const Term& each) { return each.factors == chosen->factors; });
  const std::int64_t coefficient = chosen->coefficient;
  const auto value = ops::quotient(others, Polynomial{-coefficient, {}});
  if (!value) return true;
  if (value->is_constant() && value->constant < 0 && state_->entry(symbol).nonnegative) return false;
  const Dim replacement = state_->dim_of(value);
  if (replacement.is_unknown()) return true;
  state_->entry(symbol).replacement = replacement;
  state_->unified = true;
  ++state_->epoch;
  return true;
}

Dim DimMath::resolve(Dim dim) {
  if (!dim.is_symbol() || !state_->unified) return dim;
  {
    const State::Entry& entry = state_->entry(dim.symbol());
    if (entry.epoch == state_->epoch) return entry.resolved;
  }
  const Dim made = state_->substitute(*this, dim);
  State::Entry& entry = state_->entry(dim.symbol());
  entry.resolved = made;
  entry.epoch = state_->epoch;
  return made;
}

Dim DimMath::State::substitute(DimMath& math, Dim dim) {
  const Entry entry = this->entry(dim.symbol());  // a copy: what follows may add entries
  switch (entry.kind) {
    case Kind::kSymbol:
      return entry.replacement.is_unknown() ? dim : math.resolve(entry.replacement);
    case Kind::kSum: {
      // On polynomials, not with add() and mul(): these resolve what they get, which would come back here.
      std::optional<Polynomial> made = Polynomial{entry.sum.constant, {}};
      for (const Term& term : entry.sum.terms) {
        std::optional<Polynomial> part = Polynomial{term.coefficient, {}};
        for (const Symbol* factor : term.factors) {
          const Dim resolved = math.resolve(Dim::symbol(factor));
          if (resolved.is_unknown()) return {};
          if (part) part = ops::product(*part, polynomial(resolved));
        }
        made = made && part ? ops::sum(*made, *part) : std::nullopt;
      }
      return dim_of(made);
    }
    case Kind::kFloorDiv:
    case Kind::kMin:
    case Kind::kMax:
    case Kind::kBroadcast:
      break;
  }
  const Dim a = math.resolve(entry.a), b = math.resolve(entry.b);
  if (a == entry.a && b == entry.b) return dim;
  switch (entry.kind) {
    case Kind::kFloorDiv:
      return math.floor_div(a, b);
    case Kind::kMin:
      return math.min(a, b);
    case Kind::kMax:
      return math.max(a, b);
    default:
      return math.broadcast(a, b);
  }
}

bool DimMath::bind(std::string_view symbol, std::int64_t size) {
  return unify(Dim::symbol(state_->context.symbol(symbol)), Dim::size(size));
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

// Solves equations between expressions for a symbol, and eliminates it everywhere.
#include <algorithm>
#include <utility>

#include "onnxpress/ops/core/dim_math_state.h"

namespace onnxpress::ops {

namespace {

using Kind = DimMath::State::Kind;

}  // namespace

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

// After max(N - 5, 0) = N - 5, the maximum is replaced by N - 5 everywhere. Not in bodies, which may not run.
bool DimMath::State::takes_operand(Dim whole, Dim operand) {
  if (!whole.is_symbol() || first_solvable != 0) return false;
  Entry& known = entry(whole.symbol());
  const bool is_choice = known.kind == Kind::kMin || known.kind == Kind::kMax || known.kind == Kind::kBroadcast;
  if (!is_choice || (known.a != operand && known.b != operand)) return false;
  known.replacement = operand;
  unified = true;
  ++epoch;
  return true;
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
  // c*N + d = 0 has no integer solution if c does not divide d.
  if (difference->terms.size() == 1 && difference->terms[0].factors.size() == 1 &&
      difference->constant % difference->terms[0].coefficient != 0) {
    return false;
  }
  // N + 3 = 0 has no solution either, because no dim is negative.
  const auto low = state_->bound(*difference, State::kMostDepth),
             high = state_->bound(negated(*difference), State::kMostDepth);
  if ((low && *low > 0) || (high && *high > 0)) return false;
  if (state_->holding) {
    state_->held.push_back({a, b, state_->first_solvable, state_->tag});
    return true;
  }
  if (state_->takes_operand(a, b) || state_->takes_operand(b, a)) return true;
  // Solve for a plain symbol: preferably one made by fresh(), and the newest of those.
  const Term* chosen = nullptr;
  for (const Term& term : difference->terms) {
    if (term.factors.size() != 1) continue;
    const bool alone = difference->terms.size() == 1;
    if (!alone && term.coefficient != 1 && term.coefficient != -1) continue;
    const Symbol* symbol = term.factors[0];
    if (symbol->id < state_->first_solvable || state_->entry(symbol).kind != Kind::kSymbol) continue;
    Polynomial others = *difference;
    std::erase_if(others.terms, [&](const Term& each) { return each.factors == term.factors; });
    if (state_->mentions(state_->dim_of(others), symbol, 2 * State::kMostDepth)) continue;
    const auto rank = [&](const Term& each) {
      return std::pair(state_->entry(each.factors[0]).made, each.factors[0]->id);
    };
    if (!chosen || rank(term) > rank(*chosen)) chosen = &term;
  }
  if (!chosen) return true;  // the equation holds, but not in a form that we can use
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
  const Entry entry = this->entry(dim.symbol());  // a copy, because the code below may add entries
  if (!entry.replacement.is_unknown()) return math.resolve(entry.replacement);
  switch (entry.kind) {
    case Kind::kSymbol:
      return dim;
    case Kind::kSum: {
      // On polynomials, because add() and mul() resolve their operands, which would call this again.
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

}  // namespace onnxpress::ops

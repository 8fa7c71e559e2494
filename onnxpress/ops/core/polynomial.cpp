// Sums, products and exact quotients.
#include "onnxpress/ops/core/polynomial.h"

#include <fmt/format.h>

#include <algorithm>

namespace onnxpress::ops {

namespace {

bool before(const Symbol* a, const Symbol* b) { return a->id < b->id; }

// By degree first, so that the leading term of a product is the product of the leading terms.
bool factors_before(const std::vector<const Symbol*>& a, const std::vector<const Symbol*>& b) {
  if (a.size() != b.size()) return a.size() > b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
}

bool multiply(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return !__builtin_mul_overflow(a, b, &out) && Dim::fits(out);
}
bool add(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return !__builtin_add_overflow(a, b, &out) && Dim::fits(out);
}

// Brings a list of terms into normal form.
std::optional<Polynomial> normal(std::int64_t constant, std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return factors_before(a.factors, b.factors); });
  Polynomial made;
  made.constant = constant;
  for (Term& term : terms) {
    if (!made.terms.empty() && made.terms.back().factors == term.factors) {
      if (!add(made.terms.back().coefficient, term.coefficient, made.terms.back().coefficient)) return std::nullopt;
    } else {
      if (!made.terms.empty() && made.terms.back().coefficient == 0) made.terms.pop_back();
      made.terms.push_back(std::move(term));
    }
  }
  std::erase_if(made.terms, [](const Term& term) { return term.coefficient == 0; });
  if (made.terms.size() > kMostTerms) return std::nullopt;
  return made;
}

std::optional<Term> divided(const Term& a, const Term& b) {
  if (b.coefficient == 0 || a.coefficient % b.coefficient != 0) return std::nullopt;
  if (!std::includes(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(), before))
    return std::nullopt;
  Term made;
  made.coefficient = a.coefficient / b.coefficient;
  std::set_difference(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                      std::back_inserter(made.factors), before);
  return made;
}

Term leading(const Polynomial& p) { return p.terms.empty() ? Term{p.constant, {}} : p.terms.front(); }

}  // namespace

std::optional<Polynomial> sum(const Polynomial& a, const Polynomial& b, std::int64_t factor_of_b) {
  std::int64_t constant = 0;
  if (!multiply(b.constant, factor_of_b, constant) || !add(a.constant, constant, constant)) return std::nullopt;
  std::vector<Term> terms = a.terms;
  for (const Term& term : b.terms) {
    terms.push_back(term);
    if (!multiply(term.coefficient, factor_of_b, terms.back().coefficient)) return std::nullopt;
  }
  return normal(constant, std::move(terms));
}

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  std::int64_t constant = 0;
  if (!multiply(a.constant, b.constant, constant)) return std::nullopt;
  std::vector<Term> terms;
  const auto take = [&terms](const Term& x, const Term& y) {
    Term made;
    if (!multiply(x.coefficient, y.coefficient, made.coefficient)) return false;
    std::merge(x.factors.begin(), x.factors.end(), y.factors.begin(), y.factors.end(), std::back_inserter(made.factors),
               before);
    if (made.factors.size() > kMostFactors) return false;
    if (made.coefficient != 0) terms.push_back(std::move(made));
    return true;
  };
  if ((a.terms.size() + 1) * (b.terms.size() + 1) > kMostTerms * 4) return std::nullopt;
  for (const Term& x : a.terms) {
    if (!take(x, Term{b.constant, {}})) return std::nullopt;
    for (const Term& y : b.terms) {
      if (!take(x, y)) return std::nullopt;
    }
  }
  for (const Term& y : b.terms) {
    if (!take(Term{a.constant, {}}, y)) return std::nullopt;
  }
  return normal(constant, std::move(terms));
}

// Long division by leading terms. With terms ordered by degree, every step removes the leading term of the remainder.
std::optional<Polynomial> quotient(const Polynomial& a, const Polynomial& b) {
  if (b.is_constant() && b.constant == 0) return std::nullopt;
  Polynomial left = a, made;
  for (std::size_t step = 0; step <= kMostTerms; ++step) {
    if (left.is_constant() && left.constant == 0) return made;
    const auto term = divided(leading(left), leading(b));
    if (!term) return std::nullopt;
    Polynomial part;
    if (term->factors.empty()) {
      part.constant = term->coefficient;
    } else {
      part.terms.push_back(*term);
    }
    const auto taken = product(part, b);
    auto rest = taken ? sum(left, *taken, -1) : std::nullopt;
    auto grown = sum(made, part);
    if (!rest || !grown) return std::nullopt;
    left = std::move(*rest);
    made = std::move(*grown);
  }
  return std::nullopt;
}

std::string to_string(const Polynomial& polynomial) {
  std::string text;
  const auto put = [&text](std::int64_t coefficient, const std::vector<const Symbol*>& factors) {
    if (coefficient < 0) {
      text += '-';
    } else if (!text.empty()) {
      text += '+';
    }
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    const bool has_number = factors.empty() || size != 1;
    if (has_number) text += fmt::format_int(size).c_str();
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (i > 0 || has_number) text += '*';
      text += factors[i]->name;
    }
  };
  // Positive terms come first: "N-1", "3-N".
  for (const bool positive : {true, false}) {
    for (const Term& term : polynomial.terms) {
      if ((term.coefficient > 0) == positive) put(term.coefficient, term.factors);
    }
    if (polynomial.constant != 0 && (polynomial.constant > 0) == positive) put(polynomial.constant, {});
  }
  return text.empty() ? "0" : text;
}

std::string key_of(const Polynomial& polynomial) {
  // Binary words, which are faster than digits. The number of factors comes first, to tell terms apart.
  std::string key = "p";
  const auto put = [&key](std::uint64_t word) { key.append(reinterpret_cast<const char*>(&word), sizeof word); };
  put(static_cast<std::uint64_t>(polynomial.constant));
  for (const Term& term : polynomial.terms) {
    put(static_cast<std::uint64_t>(term.coefficient));
    put(term.factors.size());
    for (const Symbol* factor : term.factors) put(factor->id);
  }
  return key;
}

}  // namespace onnxpress::ops

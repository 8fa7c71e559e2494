// Polynomial: a sum of products of symbols with integer coefficients, in normal form. What DimMath computes with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/ir/type.h"

namespace onnxpress::ops {

// coefficient * factors. The factors are sorted by id; one that occurs twice is squared.
struct Term {
  std::int64_t coefficient = 0;
  std::vector<const Symbol*> factors;
};

// Terms are sorted by their factors and have nonzero coefficients. A result with numbers beyond 62 bits or more than
// kMostTerms terms is nullopt.
struct Polynomial {
  std::int64_t constant = 0;
  std::vector<Term> terms;

  bool is_constant() const { return terms.empty(); }
};

inline constexpr std::size_t kMostTerms = 32, kMostFactors = 12;

std::optional<Polynomial> sum(const Polynomial& a, const Polynomial& b, std::int64_t factor_of_b = 1);
std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b);
// a / b if there is no remainder.
std::optional<Polynomial> quotient(const Polynomial& a, const Polynomial& b);
// "2*N+1", "batch*seq-3".
std::string to_string(const Polynomial& polynomial);
// A key that is equal for equal polynomials of one model.
std::string key_of(const Polynomial& polynomial);

}  // namespace onnxpress::ops

// Adding up, evaluating and printing formulas.
#include "onnxpress/analysis/cost/amount.h"

#include <algorithm>
#include <limits>

#include "onnxpress/ops/core/polynomial.h"

namespace onnxpress::analysis {

namespace {

__extension__ using Number = __int128;
constexpr Number kMost = Number{1} << 120;  // far beyond any model; sums of these cannot wrap

std::string with_commas(Number number) {
  const bool negative = number < 0;
  if (negative) number = -number;
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number > 0);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 3 == 0) out += ',';
    out += digits[i];
  }
  if (negative) out += '-';
  std::ranges::reverse(out);
  return out;
}

// An expression among factors needs brackets: "(H-1)".
std::string factor_text(const Symbol& symbol) {
  const bool plain = symbol.name.find_first_of("+-*/ ,") == std::string_view::npos || symbol.name.ends_with(')');
  return plain ? std::string(symbol.name) : "(" + std::string(symbol.name) + ")";
}

std::string term_text(Number coefficient, const std::vector<const Symbol*>& factors) {
  std::string out;
  if (factors.empty() || coefficient != 1) out = with_commas(coefficient);
  for (const Symbol* factor : factors) {
    if (!out.empty()) out += '*';
    out += factor_text(*factor);
  }
  return out;
}

}  // namespace

// Fewer factors first, then by name, so that the printed order does not depend on the order in which symbols were
// created.
bool Amount::ByName::operator()(const std::vector<const Symbol*>& a, const std::vector<const Symbol*>& b) const {
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (a[i]->name != b[i]->name) return a[i]->name < b[i]->name;
    return a[i]->id < b[i]->id;
  }
  return false;
}

void Amount::add(const ops::DimMath& dims, Dim dim, std::uint64_t times) {
  const auto add_term = [&](std::vector<const Symbol*> factors, std::int64_t coefficient) {
    if (coefficient == 0) return;
    std::ranges::sort(factors, [](const Symbol* a, const Symbol* b) {
      return a->name != b->name ? a->name < b->name : a->id < b->id;
    });
    Number& total = terms_[std::move(factors)];
    total += Number{coefficient} * static_cast<Number>(times);
    if (total > kMost || total < -kMost) {
      overflow_ = true;
      total = 0;
      exact_ = false;
    }
  };
  if (const auto size = dim.size()) return add_term({}, *size);
  const auto polynomial = dims.polynomial(dim);
  if (!polynomial) {
    exact_ = false;
    return;
  }
  add_term({}, polynomial->constant);
  for (const ops::Term& term : polynomial->terms) add_term(term.factors, term.coefficient);
}

void Amount::add(const Amount& other) {
  for (const auto& [factors, coefficient] : other.terms_) terms_[factors] += coefficient;
  exact_ &= other.exact_;
  overflow_ |= other.overflow_;
}

std::uint64_t Amount::number() const {
  const auto found = terms_.find({});
  if (found == terms_.end() || found->second < 0) return 0;
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();
  return found->second > Number{kLargest} ? kLargest : static_cast<std::uint64_t>(found->second);
}

std::optional<std::uint64_t> Amount::value(ops::DimMath& dims, const ops::DimMath::SizeOf& size_of) const {
  Number total = 0;
  for (const auto& [factors, coefficient] : terms_) {
    Number part = coefficient;
    for (const Symbol* factor : factors) {
      const auto size = dims.value_of(Dim::symbol(factor), size_of);
      if (!size) return std::nullopt;
      if (part != 0 && *size != 0 && (part > kMost / *size || part < -kMost / *size)) return std::nullopt;
      part *= *size;
    }
    total += part;
    if (total > kMost || total < -kMost) return std::nullopt;
  }
  if (total < 0 || total > Number{std::numeric_limits<std::uint64_t>::max()}) return std::nullopt;
  return static_cast<std::uint64_t>(total);
}

std::string Amount::formula() const {
  if (terms_.empty()) return "0";
  std::vector<const Symbol*> shared = terms_.begin()->first;
  for (const auto& [factors, coefficient] : terms_) {
    std::vector<const Symbol*> left = factors, common;
    for (const Symbol* each : shared) {
      const auto at = std::ranges::find(left, each);
      if (at == left.end()) continue;
      common.push_back(each);
      left.erase(at);
    }
    shared = std::move(common);
  }
  std::string inner;
  for (const auto& [factors, coefficient] : terms_) {
    std::vector<const Symbol*> rest = factors;
    for (const Symbol* each : shared) rest.erase(std::ranges::find(rest, each));
    const bool minus = coefficient < 0 && !inner.empty();
    if (!inner.empty()) inner += minus ? " - " : " + ";
    inner += term_text(minus ? -coefficient : coefficient, rest);
  }
  std::string out;
  for (const Symbol* each : shared) out += factor_text(*each) + "*";
  if (shared.empty() || terms_.size() == 1) {
    if (inner == "1" && !out.empty()) return out.substr(0, out.size() - 1);
    return terms_.size() == 1 && !shared.empty() ? inner + "*" + out.substr(0, out.size() - 1) : inner;
  }
  return out + "(" + inner + ")";
}

std::vector<Amount::TermText> Amount::term_list() const {
  std::vector<TermText> made;
  for (const auto& [factors, coefficient] : terms_) {
    if (coefficient == 0) continue;
    TermText term{with_commas(coefficient), {}};
    std::erase(term.coefficient, ',');
    for (const Symbol* factor : factors) term.factors.emplace_back(factor->name);
    made.push_back(std::move(term));
  }
  return made;
}

std::vector<const Symbol*> Amount::symbols() const {
  std::vector<const Symbol*> found;
  for (const auto& [factors, coefficient] : terms_) {
    for (const Symbol* each : factors) {
      if (std::ranges::find(found, each) == found.end()) found.push_back(each);
    }
  }
  return found;
}

}  // namespace onnxpress::analysis

// Amount: a total of work or bytes as a formula of the model's symbols, with 128-bit numbers: sums over a whole model
// have more terms, and larger numbers, than a dim may have.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/ops/core/dim_math.h"

namespace onnxpress::analysis {

class Amount {
 public:
  // Adds `times` times the dim. An unknown dim makes the amount a lower bound.
  void add(const ops::DimMath& dims, Dim dim, std::uint64_t times = 1);
  void add(const Amount& other);

  bool is_exact() const { return exact_; }  // false: "at least"
  bool is_number() const { return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty()); }
  // The number, saturated at 2^64 - 1: see overflows().
  std::uint64_t number() const;
  // The value with sizes for the symbols; nullopt when a symbol has no size, or the result is negative or too large.
  std::optional<std::uint64_t> value(ops::DimMath& dims, const ops::DimMath::SizeOf& size_of) const;
  bool overflows() const { return overflow_; }
  // "batch*seq*(84,936,192 + 18,432*seq)": common factors come before the brackets.
  std::string formula() const;
  // The same as a sum: each term's coefficient, in digits, and its factors. Empty for 0.
  struct TermText {
    std::string coefficient;
    std::vector<std::string> factors;
  };
  std::vector<TermText> term_list() const;
  // The plain symbols and atoms in the formula, in order of appearance.
  std::vector<const Symbol*> symbols() const;

 private:
  struct ByName {
    bool operator()(const std::vector<const Symbol*>& a, const std::vector<const Symbol*>& b) const;
  };
  __extension__ using Number = __int128;

  std::map<std::vector<const Symbol*>, Number, ByName> terms_;  // factors, sorted -> coefficient
  bool exact_ = true, overflow_ = false;
};

}  // namespace onnxpress::analysis

// Compares what was inferred with what was computed: every fact must be true for the value.
#pragma once

#include <string>
#include <unordered_map>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::tests {

class FactCheck {
 public:
  explicit FactCheck(const analysis::Facts& facts) : facts_(facts) {}

  // Empty when every fact about `value` holds for `datum`. Plain symbols get their sizes from the first value that has
  // them, so pass inputs first.
  std::string contradiction(const Value& value, const ops::Datum& datum);

  // How many tensors were seen, and for how many every dim was known.
  std::size_t seen = 0, complete = 0;

 private:
  std::string check(const ops::Fact& fact, const ops::Datum& datum);
  std::string check_array(const ops::Fact& fact, const ops::Array& array);
  std::string check_dim(Dim dim, std::int64_t actual, const char* what, std::size_t position);
  std::string check_range(const ops::Fact& fact, const ops::Array& array) const;

  const analysis::Facts& facts_;
  std::unordered_map<const Symbol*, std::int64_t> sizes_;
};

}  // namespace onnxpress::tests

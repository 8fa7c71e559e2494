// Expressions over dims as users write them: "2*N+1", "ceil(H/2)", "min(N, 128)".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/ops/core/dim_math.h"

namespace onnxpress::ops {

class ShapeExpression {
 public:
  // Parses the longest expression at the beginning of `text` and removes it. `/` rounds down. Throws Error when there
  // is none.
  static ShapeExpression take(std::string_view& text);

  // `dim_of` returns the dim of a name, or an unknown dim for a name that it does not know.
  Dim value(DimMath& dims, const std::function<Dim(const std::string& name)>& dim_of) const;
  // The name if the expression is just a name; empty otherwise.
  const std::string& name() const;

 private:
  enum class Kind : std::uint8_t {
    kNumber,
    kName,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kCeilDivide,
    kModulo,
    kMin,
    kMax
  };
  struct Step {
    Kind kind;
    std::int64_t number = 0;
    std::string name;
  };
  struct Parser;

  std::vector<Step> steps_;  // in postfix order
};

// The text without leading blanks.
std::string_view without_blanks(std::string_view text);

}  // namespace onnxpress::ops

// Fact: everything known about a value before the model runs. One lattice: unknown at the top, a constant at the
// bottom.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "onnxpress/ir/type.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

class DimMath;

using Shape = std::vector<Dim>;  // sizes, symbolic expressions, or unknown

// Proved bounds of every element.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool finite = false;  // neither infinite nor NaN

  friend bool operator==(const Range&, const Range&) = default;
};

struct Fact {
  enum class Kind : std::uint8_t { kUnknown, kTensor, kSequence, kOptional, kMap, kOther };

  Kind kind = Kind::kUnknown;
  ElementType element = ElementType::kUndefined;  // of tensors, and of the keys of maps
  std::optional<Shape> shape = {};                // of tensors; nullopt if not even the rank is known
  std::shared_ptr<const Fact> inner = {};         // elements of a sequence or optional, values of a map
  // The elements of integer tensors (and bool, as 0 and 1) with at most kMostElementsKnown of them, in row-major order:
  // each is an expression or unknown. Requires a shape of known sizes.
  std::optional<std::vector<Dim>> elements = {};
  std::shared_ptr<const Array> constant = {};  // the value itself, if it is known and small, or was requested
  bool is_constant = false;                    // the same in every run, even if the elements were not read
  bool is_splat = false;                       // all elements are equal
  Range range = {};

  static Fact unknown() { return {}; }
  static Fact tensor(ElementType element) { return {.kind = Kind::kTensor, .element = element}; }
  static Fact tensor(ElementType element, Shape shape) {
    Fact fact = tensor(element);
    fact.shape = std::move(shape);
    return fact;
  }
  // All facts about a given array.
  static Fact of(const Array& array);

  bool is_tensor() const { return kind == Kind::kTensor; }
  bool has_rank() const { return shape.has_value(); }
  std::size_t rank() const { return shape ? shape->size() : 0; }
  // The shape when every dim is a size.
  std::optional<Sizes> sizes() const;
};

inline constexpr std::size_t kMostElementsKnown = 1024;

// The facts of a value that is one of two: what both have in common. Dims that are not proved equal become unknown.
Fact join(const Fact& a, const Fact& b, DimMath& dims);
Range join(const Range& a, const Range& b);
// Are the two facts equal?
bool same(const Fact& a, const Fact& b);

}  // namespace onnxpress::ops

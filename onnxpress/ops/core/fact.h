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

// Bounds of every element; only what is proved.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool finite = false;  // neither infinite nor nan

  friend bool operator==(const Range&, const Range&) = default;
};

struct Fact {
  enum class Kind : std::uint8_t { kUnknown, kTensor, kSequence, kOptional, kMap, kOther };

  Kind kind = Kind::kUnknown;
  ElementType element = ElementType::kUndefined;  // tensors; maps: of the keys
  std::optional<Shape> shape = {};                // tensors; nullopt: not even the rank is known
  std::shared_ptr<const Fact> inner = {};         // sequence and optional: of the elements; map: of the values
  // Integer tensors (bool too, as 0 and 1) of at most kMostElementsKnown elements: each as an expression or unknown, in
  // row-major order. Needs a shape of known sizes.
  std::optional<std::vector<Dim>> elements = {};
  std::shared_ptr<const Array> constant = {};  // the value itself, when it is known and small, or was asked for
  bool is_constant = false;                    // the same in every run, even if the elements were not looked at
  bool is_splat = false;                       // all elements are equal
  Range range = {};

  static Fact unknown() { return {}; }
  static Fact tensor(ElementType element) { return {.kind = Kind::kTensor, .element = element}; }
  static Fact tensor(ElementType element, Shape shape) {
    Fact fact = tensor(element);
    fact.shape = std::move(shape);
    return fact;
  }
  // All that can be known of an array that is at hand.
  static Fact of(const Array& array);

  bool is_tensor() const { return kind == Kind::kTensor; }
  bool has_rank() const { return shape.has_value(); }
  std::size_t rank() const { return shape ? shape->size() : 0; }
  // The shape when every dim is a size.
  std::optional<Sizes> sizes() const;
};

inline constexpr std::size_t kMostElementsKnown = 1024;

// What is true of a value that is one of two: what both facts say. Dims that are not proved to be equal become unknown.
Fact join(const Fact& a, const Fact& b, DimMath& dims);
Range join(const Range& a, const Range& b);
// Do both say the same?
bool same(const Fact& a, const Fact& b);

}  // namespace onnxpress::ops

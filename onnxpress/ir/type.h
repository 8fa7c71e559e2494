/// \file
/// The type of a value: element type and shape of a tensor, or a sequence, optional, map, sparse tensor or opaque type.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "onnxpress/ir/element_type.h"

namespace onnxpress {

/// A named dimension such as 'batch', or an expression such as '2*batch+1' (see ops/core/dim_math.h). One object per
/// distinct name, or expression, and model, so equality is identity.
struct Symbol {
  std::string_view name;
  std::uint32_t id = 0;  ///< dense per model
};

/// One dimension, in one word: a size, a symbol, or unknown. Sizes are limited to 62 bits and a sign; larger ones,
/// which no tensor can have, are read as unknown. Negative sizes exist in files (some exporters write -1 for "any") and
/// are kept as they are.
class Dim {
 public:
  static constexpr std::int64_t kMostSize = (std::int64_t{1} << 62) - 1;

  constexpr Dim() = default;  ///< unknown
  static constexpr bool fits(std::int64_t size) { return size <= kMostSize && size >= -kMostSize; }
  static constexpr Dim size(std::int64_t size) { return Dim((static_cast<std::uint64_t>(size) << 1) | 1); }
  static Dim symbol(const Symbol* symbol) { return Dim(reinterpret_cast<std::uintptr_t>(symbol)); }

  constexpr bool is_unknown() const { return word_ == 0; }
  constexpr bool is_size() const { return (word_ & 1) != 0; }
  constexpr bool is_symbol() const { return word_ != 0 && !is_size(); }
  constexpr std::optional<std::int64_t> size() const {
    if (!is_size()) return std::nullopt;
    return static_cast<std::int64_t>(word_) >> 1;
  }
  const Symbol* symbol() const { return is_symbol() ? reinterpret_cast<const Symbol*>(word_) : nullptr; }

  friend constexpr bool operator==(Dim, Dim) = default;

 private:
  explicit constexpr Dim(std::uint64_t word) : word_(word) {}
  std::uint64_t word_ = 0;
};

/// "3", "batch" or "?".
std::string to_string(Dim dim);

/// Immutable, in the model's arena. `origin` is the encoded form it was read from (empty when made by us).
struct Type {
  enum class Kind : std::uint8_t { kNone, kTensor, kSparseTensor, kSequence, kOptional, kMap, kOpaque };

  Kind kind = Kind::kNone;
  bool has_shape = false;                             ///< tensors: false means that not even the rank is known
  ElementType element = ElementType::kUndefined;      ///< tensors: of the elements; maps: of the keys
  std::span<const Dim> dims;                          ///< tensors with a shape
  std::span<const std::string_view> dim_denotations;  ///< empty, or one per dimension (an absent one has null data)
  const Type* inner = nullptr;  ///< sequence and optional: element; map: value. Null when the file has none
  std::string_view denotation;
  std::string_view opaque_domain, opaque_name;
  std::string_view origin;

  bool is_tensor() const { return kind == Kind::kTensor || kind == Kind::kSparseTensor; }
};

/// As the printer of the onnx package writes types: "float[1,3,H,W]", "float" (a scalar), "float[]" (any
/// rank), "seq(int64[N])", "map(string, float)", "optional(...)", "sparse_tensor(float[2])"; "?" for none. Element
/// types that do not exist are "type99".
std::string to_string(const Type* type);
/// Appends the same text; the caller chooses the comma between dimensions and how element types are written. Appends
/// nothing if there is no type.
void append_type(std::string& out, const Type* type, std::string_view comma,
                 const std::function<void(ElementType element)>& append_element);

/// Same kind, element types, shape (symbols by name) and nested types; denotations and origin do not count.
bool same_type(const Type* a, const Type* b);

}  // namespace onnxpress

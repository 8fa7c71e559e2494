// Array: a dense tensor in memory, as the evaluator computes with it. Datum: an array, or a sequence, optional or map.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "onnxpress/base/arena.h"
#include "onnxpress/ir/tensor.h"
#include "onnxpress/ops/core/element.h"

namespace onnxpress::ops {

using Sizes = std::vector<std::int64_t>;  // the dims of an array

// A value type whose copies share their elements. Elements are written only through mutable_data(), right after make().
class Array {
 public:
  Array() = default;
  // The elements are not initialized (strings are empty). Inside an evaluation the array is charged to its budget;
  // throws OverBudget when that is used up (budget.h). Throws std::bad_alloc when the machine has no memory left, and
  // for more than kMostElements.
  static Array make(ElementType type, Sizes sizes);
  template <typename T>
  static Array make(Sizes sizes) {
    return make(kTypeOf<T>, std::move(sizes));
  }
  // A one-dimensional array, or a scalar.
  template <typename T>
  static Array of(std::span<const T> elements) {
    Array made = make<T>({static_cast<std::int64_t>(elements.size())});
    std::copy(elements.begin(), elements.end(), made.mutable_data<T>().begin());
    return made;
  }
  template <typename T>
  static Array scalar(const T& element) {
    Array made = make<T>({});
    made.mutable_data<T>()[0] = element;
    return made;
  }
  // The content of a tensor: shared where it is raw and aligned, copied otherwise. Throws Error when it cannot be read.
  static Array from(const Tensor& tensor);
  static Array from(const SparseTensor& tensor);
  // The reverse: raw data (or strings) that lives as long as the arena.
  Tensor* to_tensor(Arena& arena, std::string_view name) const;

  ElementType type() const { return type_; }
  const Sizes& sizes() const { return sizes_; }
  std::size_t rank() const { return sizes_.size(); }
  std::int64_t size(std::size_t axis) const { return sizes_[axis]; }
  std::size_t count() const { return count_; }  // elements
  bool is_scalar() const { return sizes_.empty(); }
  bool is_string() const { return type_ == ElementType::kString; }

  template <typename T>
  std::span<const T> data() const {
    assert(type_ == kTypeOf<T>);
    return {static_cast<const T*>(data_), count_};
  }
  template <typename T>
  std::span<T> mutable_data() {
    assert(type_ == kTypeOf<T>);
    return {static_cast<T*>(const_cast<void*>(data_)), count_};
  }
  // Elements of any type except strings, as bytes: width() each.
  std::size_t width() const { return width_; }
  const std::byte* bytes() const { return static_cast<const std::byte*>(data_); }
  std::byte* mutable_bytes() { return static_cast<std::byte*>(const_cast<void*>(data_)); }

  // The same elements in another shape; the counts must agree.
  Array reshaped(Sizes sizes) const;
  // Elements as 64-bit integers, for axes, shapes and indices (bool and all integer types). Nullopt for other types.
  std::optional<std::vector<std::int64_t>> integers() const;
  // The element of an array that has exactly one, as a double (any number type or bool); nullopt otherwise.
  std::optional<double> number() const;

 private:
  ElementType type_ = ElementType::kUndefined;
  Sizes sizes_;
  std::size_t count_ = 0, width_ = 0;
  const void* data_ = nullptr;
  std::shared_ptr<const void> keep_alive_;
};

// Arrays with more elements are refused: an evaluation then fails instead of exhausting the machine.
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 33;
// Product of sizes; nullopt when one is negative or there are more than kMostElements.
std::optional<std::size_t> count_of(std::span<const std::int64_t> sizes);
// The steps for walking over an array of these sizes (budget.h): its number of elements; for an empty array the product
// of its other sizes, because a loop over an outer axis still runs.
std::uint64_t steps_over(std::span<const std::int64_t> sizes);
// Row-major strides in elements.
Sizes strides_of(std::span<const std::int64_t> sizes);

struct Datum;
using Sequence = std::vector<Datum>;

// monostate: no value (an omitted output, or an empty optional).
struct Datum {
  std::variant<std::monostate, Array, std::shared_ptr<const Sequence>, std::shared_ptr<const struct Map>> content;

  Datum() = default;
  Datum(Array array) : content(std::move(array)) {}  // NOLINT(google-explicit-constructor)
  explicit Datum(Sequence sequence) : content(std::make_shared<const Sequence>(std::move(sequence))) {}

  const Array* array() const { return std::get_if<Array>(&content); }
  const Sequence* sequence() const {
    const auto* held = std::get_if<std::shared_ptr<const Sequence>>(&content);
    return held ? held->get() : nullptr;
  }
  bool empty() const { return content.index() == 0; }
};

// For reports: "float[1,3]", "sequence", "map" or "nothing".
std::string type_text(const Array& array);
std::string type_text(const Datum& datum);

// A map of ai.onnx.ml: keys (int64 or string) and as many values.
struct Map {
  Array keys, values;
};

}  // namespace onnxpress::ops

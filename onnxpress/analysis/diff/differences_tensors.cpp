// Measures how far apart two tensors are: both are read in pieces, and all element types are converted to numbers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "onnxpress/analysis/diff/differences.h"
#include "onnxpress/base/small_float.h"

namespace onnxpress::analysis {

namespace {

// Holds whole elements of every type: 48 bytes are 64 six-bit elements, 3 of complex128, and a whole number of any type
// in between.
constexpr std::size_t kUnit = 48;
constexpr std::size_t kBlock = kUnit * 1024;

bool is_complex(ElementType type) { return type == ElementType::kComplex64 || type == ElementType::kComplex128; }

template <typename T>
T load(const char* data, std::size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

// Decodes the elements of one block to numbers. A complex element gives two.
class Numbers {
 public:
  explicit Numbers(ElementType type) : type_(type), small_(small_float_of(type)) {}

  const std::vector<double>& decode(const char* data, std::size_t count) {
    values_.resize(is_complex(type_) ? 2 * count : count);
    const int bits = bits_of(type_);
    if (bits < 8) {
      decode_packed(data, bits, count);
    } else if (small_) {
      fill(count, [&](std::size_t i) {
        const std::uint32_t pattern = bits == 16 ? load<std::uint16_t>(data, i) : load<std::uint8_t>(data, i);
        return value_of(*small_, pattern);
      });
    } else {
      decode_plain(data, values_.size());
    }
    return values_;
  }

 private:
  template <typename Give>
  void fill(std::size_t count, const Give& give) {
    for (std::size_t i = 0; i < count; ++i) values_[i] = static_cast<double>(give(i));
  }
  template <typename T>
  void fill_from(const char* data, std::size_t count) {
    fill(count, [data](std::size_t i) { return load<T>(data, i); });
  }

  void decode_packed(const char* data, int bits, std::size_t count) {
    codes_.resize(count);
    unpack(data, bits, 0, count, codes_.data());
    const bool is_signed = type_ == ElementType::kInt4 || type_ == ElementType::kInt2;
    fill(count, [&](std::size_t i) -> double {
      if (small_) return static_cast<double>(value_of(*small_, codes_[i]));
      return is_signed ? sign_extended(codes_[i], bits) : codes_[i];
    });
  }

  void decode_plain(const char* data, std::size_t count) {
    switch (type_) {
      case ElementType::kFloat:
      case ElementType::kComplex64:
        return fill_from<float>(data, count);
      case ElementType::kDouble:
      case ElementType::kComplex128:
        return fill_from<double>(data, count);
      case ElementType::kInt8:
        return fill_from<std::int8_t>(data, count);
      case ElementType::kInt16:
        return fill_from<std::int16_t>(data, count);
      case ElementType::kInt32:
        return fill_from<std::int32_t>(data, count);
      case ElementType::kInt64:
        return fill_from<std::int64_t>(data, count);
      case ElementType::kUint16:
        return fill_from<std::uint16_t>(data, count);
      case ElementType::kUint32:
        return fill_from<std::uint32_t>(data, count);
      case ElementType::kUint64:
        return fill_from<std::uint64_t>(data, count);
      default:
        return fill_from<std::uint8_t>(data, count);  // uint8 and bool
    }
  }

  ElementType type_;
  std::optional<SmallFloat> small_;
  std::vector<double> values_;
  std::vector<std::uint8_t> codes_;
};

class Comparison {
 public:
  Comparison(const Tensor& before, const Tensor& after, double tolerance)
      : before_type_(before.type),
        after_type_(after.type),
        before_(before.type),
        after_(after.type),
        tolerance_(tolerance) {
    distance_.elements = before.element_count().value_or(0);
  }

  // The next `count` elements of both.
  void add_block(const char* a, const char* b, std::size_t count) {
    const bool same_type = before_type_ == after_type_;
    if (!same_type || std::memcmp(a, b, *raw_size(before_type_, count)) != 0) compare_block(a, b, count, same_type);
    next_ += count;
  }

  const TensorDistance& result() const { return distance_; }

 private:
  void compare_block(const char* a, const char* b, std::size_t count, bool same_type) {
    const std::vector<double>& x = before_.decode(a, count);
    const std::vector<double>& y = after_.decode(b, count);
    const bool wide = same_type && (before_type_ == ElementType::kInt64 || before_type_ == ElementType::kUint64);
    const std::size_t bytes = same_type ? static_cast<std::size_t>(bits_of(before_type_)) / 8 : 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (bytes > 0 && std::memcmp(a + i * bytes, b + i * bytes, bytes) == 0) continue;
      if (bytes == 0 && same_type && same_number(x[i], y[i])) continue;
      if (wide) {
        add_wide(i, load<std::uint64_t>(a, i), load<std::uint64_t>(b, i));
      } else if (is_complex(before_type_) && is_complex(after_type_)) {
        add(i, std::hypot(x[2 * i] - y[2 * i], x[2 * i + 1] - y[2 * i + 1]),
            std::max(std::hypot(x[2 * i], x[2 * i + 1]), std::hypot(y[2 * i], y[2 * i + 1])), same_type);
      } else {
        add_pair(i, x[i], y[i], same_type);
      }
    }
  }

  // For sub-byte elements, which have no two bit patterns for the same number except zero.
  static bool same_number(double x, double y) { return x == y && std::signbit(x) == std::signbit(y); }

  void add_pair(std::size_t i, double x, double y, bool same_type) {
    if (std::isnan(x) && std::isnan(y)) {
      distance_.differing += same_type && tolerance_ == 0;  // two NaNs with different bits
    } else if (std::isnan(x) || std::isnan(y)) {
      ++distance_.differing;
      ++distance_.one_sided_nans;
    } else {
      add(i, x == y ? 0 : std::fabs(x - y), std::max(std::fabs(x), std::fabs(y)), same_type);
    }
  }

  // 64-bit integers lose their low bits as doubles, so they are subtracted first.
  void add_wide(std::size_t i, std::uint64_t x, std::uint64_t y) {
    const bool less =
        before_type_ == ElementType::kInt64 ? static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y) : x < y;
    const auto magnitude = [this](std::uint64_t value) {
      return before_type_ == ElementType::kInt64 ? std::fabs(static_cast<double>(static_cast<std::int64_t>(value)))
                                                 : static_cast<double>(value);
    };
    add(i, static_cast<double>(less ? y - x : x - y), std::max(magnitude(x), magnitude(y)), true);
  }

  void add(std::size_t i, double difference, double magnitude, bool same_type) {
    if (std::isnan(difference)) {  // can happen with complex numbers
      ++distance_.differing;
      return;
    }
    const bool close = difference <= tolerance_ && (tolerance_ > 0 || !same_type);
    if (close) return;
    ++distance_.differing;
    if (!distance_.has_distance || difference > distance_.max_absolute) {
      distance_.max_absolute = difference;
      distance_.at = next_ + i;
    }
    distance_.has_distance = true;
    const double relative = std::isinf(difference) ? difference : magnitude > 0 ? difference / magnitude : 0;
    distance_.max_relative = std::max(distance_.max_relative, relative);
  }

  ElementType before_type_, after_type_;
  Numbers before_, after_;
  double tolerance_;
  std::uint64_t next_ = 0;
  TensorDistance distance_;
};

bool is_stream(const Tensor& tensor) {
  return std::holds_alternative<std::shared_ptr<const ByteStream>>(tensor.content);
}

// Passes the content of a tensor to `take` in blocks of whole elements, `kBlock` bytes each except for the last.
template <typename Take>
void for_each_block(const Tensor& tensor, const Take& take) {
  if (!is_stream(tensor)) {
    const Bytes all = tensor.bytes();
    for (std::size_t at = 0; at < all.size(); at += kBlock) take(all.view().substr(at, kBlock));
    return;
  }
  const ByteStream& stream = *std::get<std::shared_ptr<const ByteStream>>(tensor.content);
  if (stream.size() != tensor.expected_bytes() || !stream.is_known()) tensor.bytes();  // throws, and says what is wrong
  std::string block;
  stream.produce([&](std::string_view piece) {
    const bool zeros = piece.data() == nullptr;
    for (std::size_t used = 0; used < piece.size();) {
      const std::size_t part = std::min(piece.size() - used, kBlock - block.size());
      zeros ? block.append(part, '\0') : block.append(piece.substr(used, part));
      used += part;
      if (block.size() < kBlock) continue;
      take(block);
      block.clear();
    }
  });
  if (!block.empty()) take(block);
}

std::uint64_t elements_in(ElementType type, std::uint64_t bytes) {
  return bytes * 8 / static_cast<std::uint64_t>(bits_of(type));
}

// Walks `walked` block by block and looks up the same elements of `other`, which is in memory or in a mapped file.
template <typename Add>
void walk_both(const Tensor& walked, const Tensor& other, const Add& add) {
  const Bytes lying = other.bytes();
  const std::uint64_t total = walked.element_count().value_or(0);
  std::uint64_t done = 0;
  for_each_block(walked, [&](std::string_view block) {
    // The number of elements in a block depends on the type, so `other` is cut to fit.
    const std::uint64_t count = std::min(total - done, elements_in(walked.type, block.size()));
    const std::uint64_t bit = done * static_cast<std::uint64_t>(bits_of(other.type));
    add(block.data(), lying.data() + bit / 8, static_cast<std::size_t>(count));
    done += count;
  });
}

TensorDistance string_distance(const Tensor& before, const Tensor& after) {
  TensorDistance distance;
  const auto a = before.strings(), b = after.strings();
  distance.elements = std::max(a.size(), b.size());
  for (std::size_t i = 0; i < distance.elements; ++i)
    distance.differing += i >= a.size() || i >= b.size() || a[i] != b[i];
  return distance;
}

}  // namespace

std::optional<TensorDistance> distance_between(const Tensor& before, const Tensor& after, double tolerance) {
  if (!std::equal(before.dims.begin(), before.dims.end(), after.dims.begin(), after.dims.end())) return std::nullopt;
  if ((before.type == ElementType::kString) != (after.type == ElementType::kString)) return std::nullopt;
  if (is_complex(before.type) != is_complex(after.type)) return std::nullopt;
  if (before.type == ElementType::kString) return string_distance(before, after);
  Comparison comparison(before, after, tolerance);
  // If both are streams, one has to be collected. In a file only typed fields are streams, and large ones are rare.
  if (is_stream(after) && !is_stream(before)) {
    walk_both(after, before,
              [&](const char* b, const char* a, std::size_t count) { comparison.add_block(a, b, count); });
  } else {
    walk_both(before, after,
              [&](const char* a, const char* b, std::size_t count) { comparison.add_block(a, b, count); });
  }
  return comparison.result();
}

}  // namespace onnxpress::analysis

// Maybe: a number of a report that may be absent, in no more room than the number itself. Reports have many of them for
// each node.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace onnxpress::tasks {

// The largest integer, or NaN for double, means absent: neither occurs as a real value.
template <typename T>
requires std::same_as<T, std::uint64_t> || std::same_as<T, double>
class Maybe {
 public:
  Maybe() = default;
  Maybe(std::nullopt_t) {}                                             // NOLINT(google-explicit-constructor)
  Maybe(T value) : value_(value) {}                                    // NOLINT(google-explicit-constructor)
  Maybe(std::optional<T> value) : value_(value.value_or(absent())) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const {
    if constexpr (std::same_as<T, double>) return !std::isnan(value_);
    return value_ != absent();
  }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return value_; }
  T value_or(T otherwise) const { return has_value() ? value_ : otherwise; }
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return has_value() ? std::optional<T>(value_) : std::nullopt;
  }
  friend bool operator==(const Maybe& a, const Maybe& b) {
    return a.has_value() == b.has_value() && (!a.has_value() || a.value_ == b.value_);
  }

 private:
  static constexpr T absent() {
    if constexpr (std::same_as<T, double>) return std::numeric_limits<double>::quiet_NaN();
    return std::numeric_limits<T>::max();
  }
  T value_ = absent();
};

}  // namespace onnxpress::tasks

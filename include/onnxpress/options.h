/// \file
/// What options and reports of many calls share.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onnxpress {

/// A list of names on the command line, separated by commas: --only splat,share.
struct Names : std::vector<std::string> {
  using std::vector<std::string>::vector;
};

/// The largest integer, or NaN for double, means absent: neither occurs as a real value.
template <typename T>
requires std::same_as<T, std::uint64_t> || std::same_as<T, double>
class Maybe {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  /// Absent.
  Maybe() = default;
  /// Absent, too.
  Maybe(std::nullopt_t) {}
  /// This number.
  Maybe(T value) : value_(value) {}
  /// This number, or absent.
  Maybe(std::optional<T> value) : value_(value.value_or(absent())) {}
  // NOLINTEND(google-explicit-constructor)

  /// Is there a number?
  bool has_value() const {
    if constexpr (std::same_as<T, double>) return !std::isnan(value_);
    return value_ != absent();
  }
  /// The same.
  explicit operator bool() const { return has_value(); }
  /// The number; there must be one.
  const T& operator*() const { return value_; }
  /// The number, or `otherwise` if it is absent.
  T value_or(T otherwise) const { return has_value() ? value_ : otherwise; }
  /// The same as an optional.
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return has_value() ? std::optional<T>(value_) : std::nullopt;
  }
  /// Both absent, or both the same number.
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

/// Sizes and values of inputs that the model leaves open; part of the options of several calls.
struct BindingOptions {
  static constexpr std::string_view kTitle = "Inputs";  ///< of this group of options in lists
  /// shape of an input: x=1x3x224x224, or x=batch,3,H,W
  std::vector<std::string> shape;
  /// size of a named dim: batch=8
  std::vector<std::string> dim;
  /// value of an input that shapes depend on: size=640,640
  std::vector<std::string> value;

  /// Nothing is given.
  bool empty() const { return shape.empty() && dim.empty() && value.empty(); }
};

}  // namespace onnxpress

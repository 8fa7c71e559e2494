// Strings of numbers.
#include "onnxpress/ops/kernels/convert_strings.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "onnxpress/base/from_chars.h"

namespace onnxpress::ops {

namespace {

template <typename Real>
std::string text_of(Real value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
  return fmt::format("{}", value);
}

bool same_letters(std::string_view text, std::string_view capitals) {
  if (text.size() != capitals.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 'a' + 'A') : text[i];
    if (c != capitals[i]) return false;
  }
  return true;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

template <typename T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Signs are allowed, including '+', which from_chars does not accept.
template <typename Real>
std::optional<Real> real_number(std::string_view text) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  if (same_letters(text, "NAN") || same_letters(text, "+NAN") || same_letters(text, "-NAN"))
    return std::numeric_limits<Real>::quiet_NaN();
  if (text.starts_with('+')) text.remove_prefix(1);
  if (same_letters(text, "INF") || same_letters(text, "INFINITY")) return kInfinity;
  if (same_letters(text, "-INF") || same_letters(text, "-INFINITY")) return -kInfinity;
  Real value{};
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
    const Real large = tiny ? Real{0} : kInfinity;
    return text.starts_with('-') ? -large : large;
  }
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Array> converted_to_strings(const Array& numbers) {
  Array result = Array::make(ElementType::kString, numbers.sizes());
  const auto texts = result.mutable_data<std::string>();
  if (numbers.type() == ElementType::kUint64) {
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = fmt::format("{}", numbers.data<std::uint64_t>()[i]);
  } else if (const auto whole = numbers.integers()) {
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = fmt::format("{}", (*whole)[i]);
  } else if (numbers.type() == ElementType::kDouble) {
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = text_of(numbers.data<double>()[i]);
  } else {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      float value = 0;
      if (!load(numbers, i, 1, &value)) return std::nullopt;
      texts[i] = text_of(value);
    }
  }
  return result;
}

std::optional<Array> converted_from_strings(const Array& strings, ElementType to, Conversion how) {
  const bool whole = is_integer(to) || to == ElementType::kBool;
  const ElementType via = to == ElementType::kUint64   ? ElementType::kUint64
                          : whole                      ? ElementType::kInt64
                          : to == ElementType::kDouble ? ElementType::kDouble
                                                       : ElementType::kFloat;
  Array numbers = Array::make(via, strings.sizes());
  const auto read = [&]<typename T>() {
    const auto texts = strings.data<std::string>();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string_view text = without_blanks(texts[i]);
      std::optional<T> value;
      if constexpr (std::is_integral_v<T>) {
        value = whole_number<T>(text);
        // "100.5" becomes 100.
        if (const auto real = value ? std::nullopt : real_number<double>(text); real && std::abs(*real) < 0x1p63)
          value = static_cast<T>(static_cast<std::int64_t>(*real));
      } else {
        value = real_number<T>(text);
      }
      if (!value) return false;
      numbers.mutable_data<T>()[i] = *value;
    }
    return true;
  };
  using Types = TypeList<ElementType::kUint64, ElementType::kInt64, ElementType::kDouble, ElementType::kFloat>;
  if (!dispatch(Types(), via, read)) return std::nullopt;
  return converted(numbers, to, how);
}

}  // namespace onnxpress::ops

// Reads a number, then its unit.
#include "onnxpress/base/parse_bytes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "onnxpress/base/from_chars.h"

namespace onnxpress {

namespace {

// The factor of "", "B", "K", "KB", "KiB", ... in any case; nullopt for other texts.
std::optional<double> factor_of(std::string_view unit) {
  std::string lower;
  for (const char c : unit) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.empty() || lower == "b") return 1;
  const std::size_t power = std::string_view("kmgtpe").find(lower[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(lower).substr(1);
  if (rest == "i" || rest == "ib") return std::pow(1024.0, static_cast<double>(power + 1));
  if (rest.empty() || rest == "b") return std::pow(1000.0, static_cast<double>(power + 1));
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;
  const char* end = text.data() + text.size();
  std::uint64_t whole = 0;
  auto parsed = onnxpress::from_chars(text.data(), end, whole);
  if (parsed.ec != std::errc()) return std::nullopt;
  if (parsed.ptr == end) return whole;  // exact, however large

  double value = 0;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());  // an 'e' is a unit
  parsed = onnxpress::from_chars(text.data(), text.data() + digits, value);
  if (parsed.ec != std::errc()) return std::nullopt;
  std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  while (!unit.empty() && unit[0] == ' ') unit.remove_prefix(1);
  const auto factor = factor_of(unit);
  if (!factor || value * *factor >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(value * *factor));
}

}  // namespace onnxpress

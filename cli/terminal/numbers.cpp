// Formats sizes and counts.
#include "cli/terminal/numbers.h"

#include <fmt/format.h>

#include <array>

namespace onnxpress::cli {

namespace {

// Three digits, and never "1000 KB": a number that rounds up to the next unit is shown in that unit.
std::string scaled(std::uint64_t number, const std::array<std::string_view, 7>& units) {
  if (number < 1000) return units[0].empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, units[0]);
  double value = static_cast<double>(number);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

}  // namespace

std::string with_commas(std::uint64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string human_bytes(std::uint64_t bytes) { return scaled(bytes, {"B", "KB", "MB", "GB", "TB", "PB", "EB"}); }

std::string exact_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return counted(bytes, "byte", "bytes");
  return fmt::format("{} ({} bytes)", human_bytes(bytes), with_commas(bytes));
}

std::string human_count(std::uint64_t count) { return scaled(count, {"", "K", "M", "B", "T", "P", "E"}); }

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0) return "0.0 %";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.1) return "<0.1 %";
  // 99.97 % must not be shown as 100 %.
  if (share > 99.9 && part < whole) return ">99.9 %";
  return fmt::format("{:.1f} %", share);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", with_commas(count), count == 1 ? one : many);
}

std::string cost_text(double seconds, std::uint64_t peak_anonymous, std::uint64_t peak_memory) {
  if (peak_anonymous == 0) return fmt::format("{:.2f} s, {} of memory", seconds, human_bytes(peak_memory));
  return fmt::format("{:.2f} s, {} of memory ({} with pages of mapped files)", seconds, human_bytes(peak_anonymous),
                     human_bytes(peak_memory));
}

}  // namespace onnxpress::cli

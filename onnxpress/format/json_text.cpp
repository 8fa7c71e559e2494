// JSON values as text: the shortest digits that read back as the same number, escapes, base64.
#include "onnxpress/format/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "onnxpress/base/base64.h"

namespace onnxpress::format {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

bool needs_no_escape(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

}  // namespace

void JsonText::open(char bracket, bool one_line) {
  buffer_ += bracket;
  if (!one_line) ++indentation_;
}

void JsonText::close(char bracket, bool one_line) {
  if (!one_line) {
    --indentation_;
    new_line();
  }
  buffer_ += bracket;
  flush_if_full();
}

void JsonText::next(bool first, bool one_line) {
  if (!first) buffer_ += ',';
  if (!one_line) {
    new_line();
  } else if (!first && pretty_) {
    buffer_ += ' ';
  }
}

void JsonText::key(std::string_view name) {
  word(name);
  buffer_ += pretty_ ? ": " : ":";
}

void JsonText::finish() {
  if (pretty_) buffer_ += '\n';
  flush();
}

void JsonText::word(std::string_view quoted) {
  buffer_ += '"';
  buffer_ += quoted;
  buffer_ += '"';
}

void JsonText::number(std::int64_t value) {
  const fmt::format_int digits(value);
  buffer_.append(digits.data(), digits.size());
  flush_if_full();
}

void JsonText::number_text(std::uint64_t value) {
  const fmt::format_int digits(value);
  word({digits.data(), digits.size()});
  flush_if_full();
}

void JsonText::number_text(std::int64_t value) {
  const fmt::format_int digits(value);
  word({digits.data(), digits.size()});
  flush_if_full();
}

void JsonText::real(float value) {
  constexpr std::uint32_t kUsualNan = 0x7fc00000;
  if (std::isnan(value) && std::bit_cast<std::uint32_t>(value) != kUsualNan) ++nan_payloads_;
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (std::abs(value) == kLargest) {
    // The shortest digits, 3.4028235e+38, are above the largest float before rounding, so protobuf's Python reader
    // rejects them. These are just as short, and below it.
    buffer_ += value > 0 ? "3.4028234e+38" : "-3.4028234e+38";
  } else {
    finite(value);
  }
}

void JsonText::real(double value) {
  constexpr std::uint64_t kUsualNan = 0x7ff8000000000000;
  if (std::isnan(value) && std::bit_cast<std::uint64_t>(value) != kUsualNan) ++nan_payloads_;
  finite(value);
}

template <typename T>
void JsonText::finite(T value) {
  if (std::isnan(value)) {
    word("NaN");
  } else if (std::isinf(value)) {
    word(value > 0 ? "Infinity" : "-Infinity");
  } else if (value == 0 && std::signbit(value)) {
    buffer_ += "-0.0";  // many readers take "-0" as the integer 0
  } else {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, std::end(digits), value);
    buffer_.append(digits, end);
  }
  flush_if_full();
}

bool JsonText::text(std::string_view value) {
  if (needs_no_escape(value)) {
    word(value);
  } else {
    try {
      buffer_ += nlohmann::json(value).dump();
    } catch (const nlohmann::json::type_error&) {
      return false;
    }
  }
  flush_if_full();
  return true;
}

void JsonText::bytes(std::string_view value) {
  constexpr std::size_t kChunk = kPiece / 4 * 3;  // a multiple of 3, so that pieces join
  buffer_ += '"';
  for (; value.size() > kChunk; value.remove_prefix(kChunk)) {
    append_base64(buffer_, value.substr(0, kChunk));
    flush();
  }
  append_base64(buffer_, value);
  buffer_ += '"';
  flush_if_full();
}

void JsonText::new_line() {
  if (!pretty_) return;
  buffer_ += '\n';
  buffer_.append(2 * indentation_, ' ');
}

void JsonText::flush_if_full() {
  if (buffer_.size() >= kPiece) flush();
}

void JsonText::flush() {
  if (buffer_.empty()) return;
  sink_(buffer_);
  buffer_.clear();
}

}  // namespace onnxpress::format

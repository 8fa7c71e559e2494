// Base64 in both directions, four characters for three bytes.
#include "onnxpress/base/base64.h"

#include <array>
#include <cstdint>

namespace onnxpress {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotBase64 = 0xff;

constexpr std::array<std::uint8_t, 256> kSixBits = [] {
  std::array<std::uint8_t, 256> table = {};
  table.fill(kNotBase64);
  for (std::uint8_t i = 0; i < 64; ++i) table[static_cast<std::uint8_t>(kAlphabet[i])] = i;
  table['-'] = table['+'];
  table['_'] = table['/'];
  return table;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

std::string_view without_padding(std::string_view text) {
  // Padding completes a group of four, so it is one or two characters.
  for (int i = 0; i < 2 && text.size() % 4 != 1 && text.ends_with('='); ++i) text.remove_suffix(1);
  return text;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const std::size_t begin = out.size();
  out.resize(begin + (bytes.size() + 2) / 3 * 4);
  char* to = out.data() + begin;
  std::size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3) {
    const std::uint32_t group = byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    for (int shift = 18; shift >= 0; shift -= 6) *to++ = kAlphabet[group >> shift & 63];
  }
  const std::size_t left = bytes.size() - at;
  if (left == 0) return;
  const std::uint32_t group = byte_at(bytes, at) << 16 | (left == 2 ? byte_at(bytes, at + 1) << 8 : 0);
  *to++ = kAlphabet[group >> 18 & 63];
  *to++ = kAlphabet[group >> 12 & 63];
  *to++ = left == 2 ? kAlphabet[group >> 6 & 63] : '=';
  *to++ = '=';
}

std::optional<std::size_t> base64_decoded_size(std::string_view text) {
  const std::size_t size = without_padding(text).size();
  if (size % 4 == 1) return std::nullopt;
  return size / 4 * 3 + (size % 4 == 0 ? 0 : size % 4 - 1);
}

bool append_base64_decoded(std::string& out, std::string_view text) {
  const std::optional<std::size_t> size = base64_decoded_size(text);
  if (!size) return false;
  const std::size_t begin = out.size();
  out.resize(begin + *size);
  char* to = out.data() + begin;
  std::uint32_t group = 0, bits = 0, wrong = 0;
  for (const char c : without_padding(text)) {
    const std::uint8_t six = kSixBits[static_cast<std::uint8_t>(c)];
    wrong |= six & 0x80U;
    group = group << 6 | (six & 63U);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      *to++ = static_cast<char>(group >> bits & 0xff);
    }
  }
  if (wrong != 0) out.resize(begin);
  return wrong == 0;
}

}  // namespace onnxpress

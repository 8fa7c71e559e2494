// Matches names with patterns in linear time, except for patterns with several stars.
#include "onnxpress/base/wildcards.h"

namespace onnxpress {

namespace {

constexpr std::string_view kSpecial = "*?\\";

bool is_escape(std::string_view text, std::size_t at) {
  return text[at] == '\\' && at + 1 < text.size() && kSpecial.find(text[at + 1]) != std::string_view::npos;
}

}  // namespace

bool fits_wildcards(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, back = 0;
  while (t < text.size()) {
    const bool escaped = p < pattern.size() && is_escape(pattern, p);
    if (escaped ? pattern[p + 1] == text[t]
                : p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      p += escaped ? 2 : 1, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++, back = t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++back;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string wildcards_for(std::string_view text) {
  std::string pattern;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*' || text[i] == '?' || is_escape(text, i)) pattern += '\\';
    pattern += text[i];
  }
  return pattern;
}

}  // namespace onnxpress

// Translates option names of the library to flags (underscores become dashes), and quotes words for shells.
#include "cli/arguments/flag_text.h"

#include <algorithm>

namespace onnxpress::cli {

std::string flag_name(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string with_flags(std::string_view text) {
  constexpr std::string_view kMark = "option `";
  std::string out;
  for (;;) {
    const std::size_t mark = text.find(kMark);
    const std::size_t begin = mark == std::string_view::npos ? mark : mark + kMark.size();
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('`', begin);
    if (end == std::string_view::npos) return out.append(text);
    const std::string_view name = text.substr(begin, end - begin);
    const std::size_t equals = std::min(name.find('='), name.size());
    out.append(text.substr(0, mark)).append(flag_name(name.substr(0, equals)));
    if (equals < name.size()) out.append(" ").append(name.substr(equals + 1));
    text.remove_prefix(end + 1);
  }
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace onnxpress::cli

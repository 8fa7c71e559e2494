// Composes error messages and quotes untrusted names for them.
#include "onnxpress/base/error.h"

#include <fmt/format.h>

#include <utility>

namespace onnxpress {

Error::Error(std::string where, std::string message, std::string hint)
    : where_(std::move(where)), message_(std::move(message)), hint_(std::move(hint)) {
  compose();
}

void Error::set_file(std::string file) {
  if (!file_.empty()) return;
  file_ = std::move(file);
  compose();
}

void Error::add_outer_place(std::string_view place) {
  where_ = where_.empty() ? std::string(place) : fmt::format("{}, {}", place, where_);
  compose();
}

void Error::compose() {
  text_.clear();
  for (const std::string* part : {&file_, &where_}) {
    if (!part->empty()) text_ += *part + ": ";
  }
  text_ += message_;
}

std::string quote_name(std::string_view name) {
  constexpr std::size_t kLongest = 120;
  constexpr std::size_t kShownEnd = 50;  // of a name that is too long, this much of either end is shown
  const auto escape = [](std::string_view text, std::string& out) {
    for (const char c : text) {
      const auto u = static_cast<unsigned char>(c);
      if (c == '\'' || c == '\\') {
        out += '\\';
        out += c;
      } else if (u < 0x20 || u == 0x7f) {
        out += fmt::format("\\x{:02x}", u);
      } else {
        out += c;
      }
    }
  };
  std::string out = "'";
  if (name.size() <= kLongest) {
    escape(name, out);
  } else {
    escape(name.substr(0, kShownEnd), out);
    out += fmt::format("...({} bytes)...", name.size());
    escape(name.substr(name.size() - kShownEnd), out);
  }
  return out + "'";
}

std::string plain_or_quoted(std::string_view name) {
  std::string quoted = quote_name(name);
  const bool plain = !name.empty() && quoted.size() == name.size() + 2;
  return plain ? std::string(name) : quoted;
}

}  // namespace onnxpress

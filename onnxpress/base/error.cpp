// Composes error messages and quotes untrusted names for them.
#include "onnxpress/base/error.h"

#include <fmt/format.h>

#include <utility>

#include "onnxpress/base/utf8.h"

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

namespace {

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    if (text[0] == '\'' || text[0] == '\\') out += '\\';
    text.remove_prefix(append_harmless(out, text));
  }
}

}  // namespace

std::string quote_name(std::string_view name) {
  constexpr std::size_t kLongest = 120;
  constexpr std::size_t kShownEnd = 50;  // how much of either end of a longer name is shown
  std::string out = "'";
  if (name.size() <= kLongest) {
    append_escaped(out, name);
  } else {
    append_escaped(out, utf8_head(name, kShownEnd));
    out += fmt::format("...({} bytes)...", name.size());
    append_escaped(out, utf8_tail(name, kShownEnd));
  }
  return out + "'";
}

std::string plain_or_quoted(std::string_view name) {
  std::string quoted = quote_name(name);
  const bool plain = !name.empty() && std::string_view(quoted).substr(1, quoted.size() - 2) == name;
  return plain ? std::string(name) : quoted;
}

}  // namespace onnxpress

// Fills in page templates. Everything that comes from a model goes through one of the two escapes below.
#include "cli/pages/page_template.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/cell_text.h"

namespace onnxpress::cli {

namespace {

// JSON inside <script>: markup characters occur only inside its strings, where \u003c means the same. So there is no
// </script> and no <!--. U+2028 and U+2029 end a line in old versions of JavaScript.
std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (json[i] == '<' || json[i] == '>' || json[i] == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(json[i]));
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      out += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

// Fills in the title wherever it is marked, and `rest` at `mark`, in one pass, so that marks inside the text that is
// filled in have no effect.
std::string filled(std::string_view page, const std::string& title, std::string_view mark, std::string_view rest) {
  constexpr std::string_view kTitle = "{{title}}";
  std::string out;
  for (;;) {
    const std::size_t title_at = page.find(kTitle), rest_at = page.find(mark), at = std::min(title_at, rest_at);
    out += page.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += at == title_at ? html_safe(printable(title)) : rest;
    page.remove_prefix(at + (at == title_at ? kTitle : mark).size());
  }
}

}  // namespace

std::string html_safe(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string filled_page(std::string_view page, const std::string& title, std::string_view json) {
  return filled(page, title, "{{data}}", script_safe(json));
}

std::string filled_body(std::string_view page, const std::string& title, std::string_view html) {
  return filled(page, title, "{{body}}", html);
}

}  // namespace onnxpress::cli

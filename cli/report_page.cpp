// Fills the template of the page in. All that comes from the model goes through one of the two escapes below.
#include "cli/report_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/cell_text.h"
#include "cli/cli.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/version.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

namespace {

// JSON inside <script>: markup characters stand only inside its strings, where \u003c means the same. So there is no
// </script> and no <!--. U+2028 and U+2029 end a line for JavaScript of old.
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

bool is_same_place(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::equivalent(a, b, ignored)) return true;
  return fs::weakly_canonical(fs::absolute(a), ignored) == fs::weakly_canonical(fs::absolute(b), ignored);
}

bool is_page_or_new(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return true;
  if (!fs::is_regular_file(path, ignored)) return false;
  constexpr std::string_view kBegin = "<!doctype html>";
  std::string begin(kBegin.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  for (char& c : begin) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return begin.empty() || begin == kBegin;
}

}  // namespace

void require_page_name(const std::string& page, const std::vector<std::string>& others) {
  const std::string ending = fs::path(page).extension().string();
  if (ending != ".html" && ending != ".htm") {
    throw UsageError(fmt::format("--report {} is no name of a page", quote_name(page)), "say --report FILE.html");
  }
  for (const std::string& other : others) {
    if (other.empty() || other == "-" || !is_same_place(page, other)) continue;
    throw UsageError(
        fmt::format("--report {} would stand in the place of another file of this command", quote_name(page)),
        "give the page a name of its own");
  }
  if (!is_page_or_new(page)) {
    Error taken("", "exists and is no page of HTML", "give the page another name, or remove what is there");
    taken.set_file(page);
    throw taken;
  }
}

std::optional<PageFileContent> page_content_of(const std::string& path, const tasks::LoadOptions& load) try {
  const tasks::InfoReport info = tasks::info(path, {.tensors = true, .load = load});
  PageFileContent content{.parts = info.bytes.parts};
  constexpr std::size_t kMost = 5000;  // by size; more of them are too small to be seen, and make the page slow
  for (const tasks::TensorLine& line : *info.tensors) {
    content.tensor_bytes += line.bytes;
    if (content.tensors.size() < kMost) content.tensors.push_back({line.name, line.type, line.bytes});
  }
  return content;
} catch (const Error&) {
  return std::nullopt;
}

std::string report_page(const PageData& page) {
  const tasks::ShrinkReport& report = page.report;
  const auto content_text = [](const std::optional<PageFileContent>& content) {
    return content ? tasks::json_text(*content) : std::string("null");
  };
  const std::string data =
      fmt::format("{{\"version\":{},\"asked\":{},\"report\":{},\"files\":{{\"before\":{},\"after\":{}}}}}",
                  tasks::json_text(std::string(version())), tasks::json_text(page.asked), to_json(report),
                  content_text(page.before), content_text(page.after));
  constexpr std::string_view kTitle = "{{title}}", kData = "{{data}}";
  const std::size_t title = kReportTemplate.find(kTitle), at = kReportTemplate.find(kData);
  std::string out(kReportTemplate.substr(0, title));
  out += html_safe(printable(fs::path(report.file).filename().string()));
  out += kReportTemplate.substr(title + kTitle.size(), at - title - kTitle.size());
  out += script_safe(data);
  out += kReportTemplate.substr(at + kData.size());
  return out;
}

}  // namespace onnxpress::cli

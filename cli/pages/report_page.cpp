// Collects the content of the report page, and checks where it may be written.
#include "cli/pages/report_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/cli.h"
#include "cli/pages/page_template.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/version.h"
#include "onnxpress/tasks/jobs/ask_files.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

namespace {

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
    throw UsageError(fmt::format("--report {} does not end in .html", quote_name(page)),
                     "use a name such as page.html");
  }
  for (const std::string& other : others) {
    if (other.empty() || other == "-" || !is_same_place(page, other)) continue;
    throw UsageError(fmt::format("--report {} is also an input or output of this command", quote_name(page)),
                     "give the page another name");
  }
  if (!is_page_or_new(page)) {
    Error taken("", "exists and is not an HTML page", "give the page another name, or remove the file");
    taken.set_file(page);
    throw taken;
  }
}

std::optional<PageFileContent> page_content_of(const std::string& path, const LoadOptions& load) try {
  const InfoReport info = info_file(path, {.tensors = true, .load = load});
  PageFileContent content{.parts = info.bytes.parts};
  constexpr std::size_t kMost = 5000;  // by size; more of them are too small to be seen, and make the page slow
  for (const TensorLine& line : *info.tensors) {
    content.tensor_bytes += line.bytes;
    if (content.tensors.size() < kMost) content.tensors.push_back({line.name, line.type, line.bytes});
  }
  return content;
} catch (const Error&) {
  return std::nullopt;
}

std::string report_page(const PageData& page) {
  const auto content_text = [](const std::optional<PageFileContent>& content) {
    return content ? json_text(*content) : std::string("null");
  };
  const std::string data =
      fmt::format("{{\"version\":{},\"asked\":{},\"report\":{},\"files\":{{\"before\":{},\"after\":{}}}}}",
                  json_text(std::string(version())), json_text(page.asked), page.report, content_text(page.before),
                  content_text(page.after));
  return filled_page(kReportTemplate, fs::path(page.file).filename().string(), data);
}

}  // namespace onnxpress::cli

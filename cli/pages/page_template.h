// Self-contained web pages, made from a template (in cli/pages/report_page/ and its siblings) and the data of a report.
#pragma once

#include <string>
#include <string_view>

namespace onnxpress::cli {

// `page` has a place for {{title}} and one for {{data}}. Neither the title nor JSON from a model can become markup or
// script.
std::string filled_page(std::string_view page, const std::string& title, std::string_view json);

// The same for a page without a script, with a place for {{body}}. `html` is markup: what comes from a model in it must
// have gone through html_safe(). The title may occur more than once.
std::string filled_body(std::string_view page, const std::string& title, std::string_view html);

// The text with markup characters escaped.
std::string html_safe(std::string_view text);

// Embedded by CMake.
extern const std::string_view kReportTemplate, kOptimizeTemplate, kProfileTemplate, kBenchTemplate;

}  // namespace onnxpress::cli

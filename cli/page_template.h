// Pages for a browser, each in one file that needs nothing else: a template (cli/report_page/, cli/optimize_page/) and
// the data of a report.
#pragma once

#include <string>
#include <string_view>

namespace onnxpress::cli {

// `page` has a place for {{title}} and one for {{data}}. Neither the title nor JSON from a model can become markup or
// script.
std::string filled_page(std::string_view page, const std::string& title, std::string_view json);

// Embedded by CMake.
extern const std::string_view kReportTemplate, kOptimizeTemplate, kProfileTemplate;

}  // namespace onnxpress::cli

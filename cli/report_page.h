// `onnxpress shrink --report page.html`: the report as a page for people, in one file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::cli {

// Throws UsageError unless the name ends in .html and is none of `others`, which the command reads or writes; throws
// Error when something other than a page stands there already: it may be data of the model.
void require_page_name(const std::string& page, const std::vector<std::string>& others);

// `asked` are the options as they stand on a command line. Names from the model cannot become markup or script.
std::string report_page(const tasks::ShrinkReport& report, const std::vector<std::string>& asked);

}  // namespace onnxpress::cli

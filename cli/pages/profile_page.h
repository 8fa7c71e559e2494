// `onnxpress profile --report page.html`: the profile as a self-contained web page.
#pragma once

#include <string>

#include "onnxpress/tasks/profile/profile_report.h"

namespace onnxpress::cli {

// Names from the model cannot become markup or script.
std::string profile_page(const tasks::ProfileReport& report);

}  // namespace onnxpress::cli

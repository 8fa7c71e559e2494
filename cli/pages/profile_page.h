// `onnxpress profile --report page.html`: the profile as a self-contained web page.
#pragma once

#include <string>

#include "onnxpress/tasks/report/field_lists/profile.h"

namespace onnxpress::cli {

// Names from the model cannot become markup or script.
std::string profile_page(const ProfileReport& report);

}  // namespace onnxpress::cli

// The sections of the info screen that are about weights and bytes.
#pragma once

#include <string>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/inspect/info.h"

namespace onnxpress::cli {

// A title line with an empty line before it.
std::string section_title(std::string_view title, const std::string& remark, const Screen& screen);

std::string weight_section(const InfoReport& report, const Screen& screen);
std::string tensor_section(const InfoReport& report, const Screen& screen);
std::string duplicate_section(const DuplicateTotals& duplicates, std::uint64_t top, const Screen& screen);
std::string byte_section(const InfoReport& report, const Screen& screen);
std::string metadata_section(const Summary& model, std::uint64_t top, const Screen& screen);

}  // namespace onnxpress::cli

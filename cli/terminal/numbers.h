// Numbers in readable form (12.3 MB, 1,234,567, 92.9 %), and sizes as users type them (64KB).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnxpress/base/parse_bytes.h"

namespace onnxpress::cli {

// "1,234,567"
std::string with_commas(std::uint64_t number);
// "512 B", "1.02 KB", "12.3 MB": three digits, decimal units.
std::string human_bytes(std::uint64_t bytes);
// "2.33 MB (2,327,524 bytes)"; small sizes are already exact: "512 bytes".
std::string exact_bytes(std::uint64_t bytes);
// "987", "12.3 K", "1.25 B": for counts in a crowded table.
std::string human_count(std::uint64_t count);
// "92.9 %"; a share that is not 0 but would round to it is "<0.1 %".
std::string percent(std::uint64_t part, std::uint64_t whole);
// "1 node", "2,000 nodes".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

// "0.25 s, 21.3 MB of memory (88.1 MB with pages of mapped files)": what a command took, by its report.
std::string cost_text(double seconds, std::uint64_t peak_anonymous, std::uint64_t peak_memory);

using onnxpress::parse_bytes;

}  // namespace onnxpress::cli

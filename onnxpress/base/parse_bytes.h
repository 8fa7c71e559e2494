// Sizes as users type them: 64KB, 1.5MiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace onnxpress {

// "1024", "1KB" (1,000), "1KiB" (1,024), "1.5 MB", "2g"; nullopt for anything else, or what does not fit in 63 bits.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace onnxpress

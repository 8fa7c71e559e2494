// Translates library texts that name options ("option `max_size`") to flags ("--max-size").
#pragma once

#include <string>
#include <string_view>

namespace onnxpress::cli {

// "external_threshold" -> "--external-threshold"
std::string flag_name(std::string_view field);
// The library calls an option by its name: "use option `encoding=dq`". Here that becomes "use --encoding dq".
std::string with_flags(std::string_view text);

}  // namespace onnxpress::cli

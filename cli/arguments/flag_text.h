// Translates library texts that name options ("option `max_size`") to flags ("--max-size"), and quotes words for
// shells.
#pragma once

#include <string>
#include <string_view>

namespace onnxpress::cli {

// "external_threshold" -> "--external-threshold"
std::string flag_name(std::string_view field);
// The library calls an option by its name: "use option `encoding=dq`". Here that becomes "use --encoding dq".
std::string with_flags(std::string_view text);
// Adds quotes if a shell would split or expand the text.
std::string shell_word(const std::string& text);

}  // namespace onnxpress::cli

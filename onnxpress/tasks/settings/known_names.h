// The error for a word that is neither a file nor a known name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onnxpress {

// Throws Error: "'llama-3-8' is neither a file nor a known model", with the nearest of the names, or else all of them.
// `kind` is what they name: "model".
[[noreturn]] void refuse_unknown_name(std::string_view kind, const std::string& word,
                                      const std::vector<std::string>& names);

}  // namespace onnxpress

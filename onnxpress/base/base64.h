// Base64, the form of bytes in JSON. Written here because none of the libraries we use has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace onnxpress {

// Appends the standard alphabet with padding. Chunks whose sizes are multiples of 3 may be appended one after the
// other.
void append_base64(std::string& out, std::string_view bytes);

// The size that `text` decodes to, or nullopt when no base64 text has this length. Padding may be omitted.
std::optional<std::size_t> base64_decoded_size(std::string_view text);

// Appends the decoded bytes; returns false, and leaves `out` unchanged, when `text` is not base64. Accepts the standard
// and the URL-safe alphabet, even mixed, with or without padding, as protobuf does.
bool append_base64_decoded(std::string& out, std::string_view text);

}  // namespace onnxpress

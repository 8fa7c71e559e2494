/// \file
/// The JSON form of a model: protobuf's own mapping (names in lowerCamelCase, 64-bit numbers as strings, bytes in
/// base64), which protobuf's json_format writes and reads in every language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace onnxpress::format {

/// The deepest nesting of objects and lists. The deepest model that read_model accepts (64 graphs, then 64 types) needs
/// about 450.
inline constexpr std::size_t kMaxJsonDepth = 500;

/// How JSON is written.
struct JsonOptions {
  bool pretty = true;  ///< one field per line, indented by two; lists of numbers and texts stay on one line
};

/// What the model contains but JSON cannot represent.
struct JsonLosses {
  std::uint64_t unknown_fields = 0;  ///< fields with numbers that ONNX 1.23 does not have
  std::string first_unknown_field;   ///< "field 99 of $.graph.node[3]", or empty
  std::uint64_t nan_payloads = 0;    ///< NaNs in float and double fields that had other bits than the usual NaN
};

/// Passes the text to `sink` in pieces. Memory does not grow with the weights. Throws Error if the model is damaged,
/// nested too deep, or has a text that is not UTF-8.
JsonLosses write_json(std::string_view encoded_model, const JsonOptions& options,
                      const std::function<void(std::string_view)>& sink);

/// The same, as one string. `losses` may be null.
std::string to_json(std::string_view encoded_model, const JsonOptions& options = {}, JsonLosses* losses = nullptr);

/// Returns the encoded model, with fields in the order of the JSON text. Throws Error with line and column if `json` is
/// not JSON, and with the JSON path if a value does not fit its field.
std::string from_json(std::string_view json);

}  // namespace onnxpress::format

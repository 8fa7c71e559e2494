/// \file
/// The JSON form of a model: protobuf's own mapping (names in lowerCamelCase, 64-bit numbers as texts, bytes in
/// base64), the same that protobuf's json_format writes and reads in every language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace onnxpress::format {

/// Objects and lists in each other. The deepest model that read_model takes (64 graphs, then 64 types) has about 450.
inline constexpr std::size_t kMaxJsonDepth = 500;

/// How JSON is written.
struct JsonOptions {
  bool pretty = true;  ///< one field per line, indented by two; lists of numbers and texts stay on one line
};

/// What was in the model but has no place in JSON.
struct JsonLosses {
  std::uint64_t unknown_fields = 0;  ///< fields with numbers that ONNX 1.23 does not have
  std::string first_unknown_field;   ///< "field 99 of $.graph.node[3]", or empty
  std::uint64_t nan_payloads = 0;    ///< NaNs in float and double fields that had other bits than the usual NaN
};

/// Hands the text to `sink` in pieces. Memory does not grow with the weights. Throws Error when the model is damaged,
/// nested too deep, or has a text that is not UTF-8.
JsonLosses write_json(std::string_view encoded_model, const JsonOptions& options,
                      const std::function<void(std::string_view)>& sink);

/// The same, as one string. `losses` may be null.
std::string to_json(std::string_view encoded_model, const JsonOptions& options = {}, JsonLosses* losses = nullptr);

/// The encoded model, its fields in the order of the JSON text. Throws Error with line and column when `json` is not
/// JSON, and with the JSON path when a value is not what the field of an ONNX model holds.
std::string from_json(std::string_view json);

}  // namespace onnxpress::format

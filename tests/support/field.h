// One encoded field, for tests that build messages by hand: field(graph::kNode, field(node::kName, "conv1")).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnxpress/format/wire.h"

namespace onnxpress::tests {

inline std::string field(std::uint32_t number, std::string_view content) {
  std::string out;
  format::append_bytes(out, number, content);
  return out;
}

inline std::string field(std::uint32_t number, std::int64_t value) {
  std::string out;
  format::append_int(out, number, value);
  return out;
}

inline std::string float_field(std::uint32_t number, float value) {
  std::string out;
  format::append_float(out, number, value);
  return out;
}

}  // namespace onnxpress::tests

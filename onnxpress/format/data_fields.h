// Field numbers of onnx-data.proto: values that are stored in separate files.
#pragma once

#include <cstdint>

namespace onnxpress::format::fields {

// SequenceProto and OptionalProto, whose content has the same field numbers: a value in a separate file.
namespace sequence {
inline constexpr std::uint32_t kTensorValues = 3;    // repeated TensorProto; in OptionalProto at most one of these
inline constexpr std::uint32_t kSequenceValues = 5;  // repeated SequenceProto
inline constexpr std::uint32_t kMapValues = 6;       // repeated MapProto
inline constexpr std::uint32_t kOptionalValues = 7;  // repeated OptionalProto
}  // namespace sequence

// MapProto.
namespace map {
inline constexpr std::uint32_t kKeys = 3;        // repeated int64
inline constexpr std::uint32_t kStringKeys = 4;  // repeated bytes
inline constexpr std::uint32_t kValues = 5;      // SequenceProto
}  // namespace map

}  // namespace onnxpress::format::fields

/// \file
/// The element types a tensor can have: their ONNX numbers, names and widths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "onnxpress/base/small_float.h"

namespace onnxpress {

/// The numbers are those of TensorProto.DataType. A file may hold any other number: it is kept, and is_known() is
/// false.
enum class ElementType : std::int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8e4m3fn = 17,
  kFloat8e4m3fnuz = 18,
  kFloat8e5m2 = 19,
  kFloat8e5m2fnuz = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4e2m1 = 23,
  kFloat8e8m0 = 24,
  kUint2 = 25,
  kInt2 = 26,
  kFloat6e2m3 = 27,
  kFloat6e3m2 = 28,
};
inline constexpr int kElementTypeCount = 29;  ///< kUndefined included

/// True for every type but kUndefined and numbers we do not know.
bool is_known(ElementType type);
/// "float", "int64", ... as ONNX writes them in tensor(float); "undefined"; "unknown" for a number we do not know.
std::string_view name_of(ElementType type);
/// The same, but "type99" for a number we do not know.
std::string to_string(ElementType type);
std::optional<ElementType> element_type_named(std::string_view name);
/// Bits per element in raw data: 2, 4, 6, 8, ... 128; 0 for strings and unknown types.
int bits_of(ElementType type);
bool is_float(ElementType type);    ///< any floating-point format, float4 to double
bool is_integer(ElementType type);  ///< int2 to uint64, not bool
/// The format of a floating-point type of 16 bits or less.
std::optional<SmallFloat> small_float_of(ElementType type);

/// Bytes that `count` elements take in raw data (sub-byte types are packed, the last byte padded); nullopt for strings,
/// unknown types and counts that overflow.
std::optional<std::uint64_t> raw_size(ElementType type, std::uint64_t count);

}  // namespace onnxpress

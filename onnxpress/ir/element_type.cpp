// One row per element type.
#include "onnxpress/ir/element_type.h"

#include <limits>

namespace onnxpress {

namespace {

enum class Family : std::uint8_t { kOther, kFloat, kInteger };

struct Row {
  std::string_view name;
  int bits;
  Family family;
};

constexpr Row kRows[kElementTypeCount] = {
    {"undefined", 0, Family::kOther},      {"float", 32, Family::kFloat},     {"uint8", 8, Family::kInteger},
    {"int8", 8, Family::kInteger},         {"uint16", 16, Family::kInteger},  {"int16", 16, Family::kInteger},
    {"int32", 32, Family::kInteger},       {"int64", 64, Family::kInteger},   {"string", 0, Family::kOther},
    {"bool", 8, Family::kOther},           {"float16", 16, Family::kFloat},   {"double", 64, Family::kFloat},
    {"uint32", 32, Family::kInteger},      {"uint64", 64, Family::kInteger},  {"complex64", 64, Family::kOther},
    {"complex128", 128, Family::kOther},   {"bfloat16", 16, Family::kFloat},  {"float8e4m3fn", 8, Family::kFloat},
    {"float8e4m3fnuz", 8, Family::kFloat}, {"float8e5m2", 8, Family::kFloat}, {"float8e5m2fnuz", 8, Family::kFloat},
    {"uint4", 4, Family::kInteger},        {"int4", 4, Family::kInteger},     {"float4e2m1", 4, Family::kFloat},
    {"float8e8m0", 8, Family::kFloat},     {"uint2", 2, Family::kInteger},    {"int2", 2, Family::kInteger},
    {"float6e2m3", 6, Family::kFloat},     {"float6e3m2", 6, Family::kFloat},
};

const Row* row_of(ElementType type) {
  const auto number = static_cast<std::int32_t>(type);
  return number >= 0 && number < kElementTypeCount ? &kRows[number] : nullptr;
}

}  // namespace

bool is_known(ElementType type) { return row_of(type) != nullptr && type != ElementType::kUndefined; }

std::string_view name_of(ElementType type) {
  const Row* row = row_of(type);
  return row ? row->name : "unknown";
}

std::string to_string(ElementType type) {
  return row_of(type) ? std::string(name_of(type)) : "type" + std::to_string(static_cast<std::int32_t>(type));
}

std::optional<ElementType> element_type_named(std::string_view name) {
  for (int number = 1; number < kElementTypeCount; ++number) {
    if (kRows[number].name == name) return static_cast<ElementType>(number);
  }
  return std::nullopt;
}

int bits_of(ElementType type) {
  const Row* row = row_of(type);
  return row ? row->bits : 0;
}

bool is_float(ElementType type) {
  const Row* row = row_of(type);
  return row && row->family == Family::kFloat;
}

bool is_integer(ElementType type) {
  const Row* row = row_of(type);
  return row && row->family == Family::kInteger;
}

std::optional<SmallFloat> small_float_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat16:
      return SmallFloat::kFloat16;
    case ElementType::kBfloat16:
      return SmallFloat::kBfloat16;
    case ElementType::kFloat8e4m3fn:
      return SmallFloat::kFloat8e4m3fn;
    case ElementType::kFloat8e4m3fnuz:
      return SmallFloat::kFloat8e4m3fnuz;
    case ElementType::kFloat8e5m2:
      return SmallFloat::kFloat8e5m2;
    case ElementType::kFloat8e5m2fnuz:
      return SmallFloat::kFloat8e5m2fnuz;
    case ElementType::kFloat8e8m0:
      return SmallFloat::kFloat8e8m0;
    case ElementType::kFloat6e2m3:
      return SmallFloat::kFloat6e2m3;
    case ElementType::kFloat6e3m2:
      return SmallFloat::kFloat6e3m2;
    case ElementType::kFloat4e2m1:
      return SmallFloat::kFloat4e2m1;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> raw_size(ElementType type, std::uint64_t count) {
  const auto bits = static_cast<std::uint64_t>(bits_of(type));
  if (bits == 0 || count > (std::numeric_limits<std::uint64_t>::max() - 7) / bits) return std::nullopt;
  return (count * bits + 7) / 8;
}

}  // namespace onnxpress

// What the kernels of ONNX Runtime's CPU provider lack, where the standard has more.
#include "onnxpress/weights/choose/target.h"

#include <algorithm>
#include <iterator>

namespace onnxpress::weights {

namespace {

struct Gap {
  std::string_view op_type;
  ElementType type;
};
constexpr Gap kNoKernel[] = {
    {"Tile", ElementType::kFloat16},    {"Tile", ElementType::kBfloat16},  {"Expand", ElementType::kBfloat16},
    {"Mul", ElementType::kFloat16},     {"Add", ElementType::kFloat16},    {"Sub", ElementType::kFloat16},
    {"Div", ElementType::kFloat16},     {"Mul", ElementType::kBfloat16},   {"Add", ElementType::kBfloat16},
    {"Sub", ElementType::kBfloat16},    {"Div", ElementType::kBfloat16},   {"Where", ElementType::kFloat16},
    {"Where", ElementType::kDouble},    {"Where", ElementType::kBfloat16}, {"ConstantOfShape", ElementType::kBfloat16},
    {"BitShift", ElementType::kUint16},
};

// In every build, and in the WebGPU builds since 1.25.
bool has_type(Target target, ElementType type) {
  switch (type) {
    case ElementType::kFloat:
    case ElementType::kFloat16:
    case ElementType::kBool:
    case ElementType::kInt8:
    case ElementType::kUint8:
    case ElementType::kInt32:
    case ElementType::kUint32:
    case ElementType::kInt64:
    case ElementType::kUint64:
      return true;
    case ElementType::kDouble:
    case ElementType::kBfloat16:
    case ElementType::kInt16:
    case ElementType::kUint16:
    case ElementType::kFloat8e4m3fn:
    case ElementType::kFloat8e4m3fnuz:
    case ElementType::kFloat8e5m2:
    case ElementType::kFloat8e5m2fnuz:
      return target == Target::kOrt;
    default:
      return false;  // 2- and 4-bit types need a runtime that is newer than most
  }
}

}  // namespace

bool decodes_chains(Target target) { return target == Target::kOrt || target == Target::kOrtWebGpu; }

bool runs(Target target, std::string_view op_type, ElementType type) {
  const bool gap = std::any_of(std::begin(kNoKernel), std::end(kNoKernel),
                               [&](const Gap& each) { return each.op_type == op_type && each.type == type; });
  return decodes_chains(target) && has_type(target, type) && !gap;
}

}  // namespace onnxpress::weights

// Which element types each kind of runtime has; missing kernels are a column of the op rows.
#include "onnxpress/weights/target.h"

namespace onnxpress::weights {

namespace {

// The types in the first group are in every build, and in the WebGPU builds since 1.25.
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

bool runs(Target target, const ops::Op& op, ElementType type) {
  const bool lacks = op.def && (op.def->ort_lacks & ops::type_set(type)) != 0;
  return decodes_chains(target) && has_type(target, type) && !lacks;
}

}  // namespace onnxpress::weights

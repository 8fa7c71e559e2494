// The family 'ai_onnx_ml': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family ai_onnx_ml() { return {}; }

}  // namespace onnxpress::ops

// The family 'matmul': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family matmul() { return {}; }

}  // namespace onnxpress::ops

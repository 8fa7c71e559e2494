// The family 'shape_ops': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family shape_ops() { return {}; }

}  // namespace onnxpress::ops

// The family 'cast_quantize': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family cast_quantize() { return {}; }

}  // namespace onnxpress::ops

// The family 'movement': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family movement() { return {}; }

}  // namespace onnxpress::ops

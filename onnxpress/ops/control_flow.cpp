// The family 'control_flow': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family control_flow() { return {}; }

}  // namespace onnxpress::ops

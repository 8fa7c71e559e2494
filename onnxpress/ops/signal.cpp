// The family 'signal': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family signal() { return {}; }

}  // namespace onnxpress::ops

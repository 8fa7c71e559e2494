// The family 'activation': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family activation() { return {}; }

}  // namespace onnxpress::ops

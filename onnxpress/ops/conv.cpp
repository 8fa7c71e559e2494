// The family 'conv': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family conv() { return {}; }

}  // namespace onnxpress::ops

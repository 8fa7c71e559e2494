// The family 'string': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family string() { return {}; }

}  // namespace onnxpress::ops

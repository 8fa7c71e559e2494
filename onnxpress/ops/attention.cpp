// The family 'attention': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family attention() { return {}; }

}  // namespace onnxpress::ops

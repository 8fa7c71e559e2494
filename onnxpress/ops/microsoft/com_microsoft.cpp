// The family 'com_microsoft': see families.h.
#include "onnxpress/ops/core/families.h"

namespace onnxpress::ops {

Family com_microsoft() { return {}; }

}  // namespace onnxpress::ops

// The family 'com_microsoft': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family com_microsoft() { return {}; }

}  // namespace onnxpress::ops

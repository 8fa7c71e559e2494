// The family 'image': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family image() { return {}; }

}  // namespace onnxpress::ops

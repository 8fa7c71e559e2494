// The family 'normalization': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family normalization() { return {}; }

}  // namespace onnxpress::ops

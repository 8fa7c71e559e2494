// The family 'concat_split': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family concat_split() { return {}; }

}  // namespace onnxpress::ops

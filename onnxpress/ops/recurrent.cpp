// The family 'recurrent': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family recurrent() { return {}; }

}  // namespace onnxpress::ops

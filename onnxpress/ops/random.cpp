// The family 'random': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family random() { return {}; }

}  // namespace onnxpress::ops

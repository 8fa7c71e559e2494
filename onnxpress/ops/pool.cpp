// The family 'pool': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family pool() { return {}; }

}  // namespace onnxpress::ops

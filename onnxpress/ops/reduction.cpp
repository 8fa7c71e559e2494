// The family 'reduction': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family reduction() { return {}; }

}  // namespace onnxpress::ops

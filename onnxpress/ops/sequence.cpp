// The family 'sequence': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family sequence() { return {}; }

}  // namespace onnxpress::ops

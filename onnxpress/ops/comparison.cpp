// The family 'comparison': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family comparison() { return {}; }

}  // namespace onnxpress::ops

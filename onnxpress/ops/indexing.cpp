// The family 'indexing': see families.h.
#include "onnxpress/ops/families.h"

namespace onnxpress::ops {

Family indexing() { return {}; }

}  // namespace onnxpress::ops

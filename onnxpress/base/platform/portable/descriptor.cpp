// There are no descriptors here: files are streams.
#include "onnxpress/base/descriptor.h"

namespace onnxpress {

void Descriptor::reset(int value) { value_ = value; }

}  // namespace onnxpress

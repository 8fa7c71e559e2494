// There are no descriptors on this platform: files are streams.
#include "onnxpress/base/descriptor.h"

namespace onnxpress {

void Descriptor::reset(int value) { value_ = value; }

}  // namespace onnxpress

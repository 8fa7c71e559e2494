// Closes the descriptor that a Descriptor owns.
#include "onnxpress/base/descriptor.h"

#include <unistd.h>

namespace onnxpress {

void Descriptor::reset(int value) {
  if (value_ >= 0) ::close(value_);
  value_ = value;
}

}  // namespace onnxpress

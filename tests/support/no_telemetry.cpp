// Tests load ONNX Runtime without the command's main(), which switches its usage reports off.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kSwitchedOff = ::setenv("ORT_DISABLE_TELEMETRY", "1", /*overwrite=*/0);

}  // namespace

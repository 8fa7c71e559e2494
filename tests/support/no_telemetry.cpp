// Switches off the telemetry of ONNX Runtime for tests, which load it without the command's main().
#include <cstdlib>

namespace {

[[maybe_unused]] const int kSwitchedOff = ::setenv("ORT_DISABLE_TELEMETRY", "1", /*overwrite=*/0);

}  // namespace

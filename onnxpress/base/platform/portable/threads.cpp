// This platform has no threads: everything runs in the caller's thread.
#include "onnxpress/base/platform/threads.h"

namespace onnxpress::platform {

unsigned processor_count() { return 1; }

std::unique_ptr<Thread> start_thread(std::function<void()>) { return nullptr; }

void wait_for_beginning_threads() {}

}  // namespace onnxpress::platform

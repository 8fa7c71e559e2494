// Threads of the operating system, or none on systems without them (WebAssembly).
#pragma once

#include <functional>
#include <memory>

namespace onnxpress::platform {

class Thread {
 public:
  virtual ~Thread() = default;
  virtual void join() = 0;  // once, before it is destroyed
};

// At least 1.
unsigned processor_count();
// Null when the system cannot start another thread.
std::unique_ptr<Thread> start_thread(std::function<void()> run);
// Before a fork: a thread that is being set up may hold locks of the allocator (that of the sanitizers does), and the
// copy would wait for them forever. Gives up after a second.
void wait_for_beginning_threads();

}  // namespace onnxpress::platform

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

}  // namespace onnxpress::platform

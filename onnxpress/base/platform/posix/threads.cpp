// Threads of the C++ library.
#include "onnxpress/base/platform/threads.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace onnxpress::platform {

namespace {

class StandardThread : public Thread {
 public:
  explicit StandardThread(std::function<void()> run) : thread_(std::move(run)) {}
  void join() override { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

unsigned processor_count() { return std::max(1U, std::thread::hardware_concurrency()); }

std::unique_ptr<Thread> start_thread(std::function<void()> run) {
  try {
    return std::make_unique<StandardThread>(std::move(run));
  } catch (const std::system_error&) {
    return nullptr;
  }
}

}  // namespace onnxpress::platform

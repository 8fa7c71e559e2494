// Threads of the C++ library.
#include "onnxpress/base/platform/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
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

std::atomic<int> beginning = 0;  // threads that do not run their function yet

}  // namespace

unsigned processor_count() { return std::max(1U, std::thread::hardware_concurrency()); }

std::unique_ptr<Thread> start_thread(std::function<void()> run) {
  ++beginning;
  try {
    return std::make_unique<StandardThread>([run = std::move(run)] {
      --beginning;
      run();
    });
  } catch (const std::system_error&) {
    --beginning;
    return nullptr;
  }
}

void wait_for_beginning_threads() {
  constexpr std::chrono::seconds kLongest(1);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (beginning > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace onnxpress::platform

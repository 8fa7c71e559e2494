// One thread that asks the system again and again. Without threads, only the memory at the begin and the end counts.
#include "onnxpress/base/memory_watch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "onnxpress/base/platform/process.h"
#include "onnxpress/base/platform/threads.h"

namespace onnxpress {

struct MemoryWatch::State {
  std::mutex mutex;
  std::condition_variable end;
  bool ended = false;
  std::uint64_t peak = 0;
  std::unique_ptr<platform::Thread> thread;

  void look() { peak = std::max(peak, platform::anonymous_memory()); }
  void look_until_ended() {
    constexpr std::chrono::milliseconds kInterval(4);  // a look takes about 5 microseconds
    std::unique_lock lock(mutex);
    while (!end.wait_for(lock, kInterval, [this] { return ended; })) look();
  }
};

MemoryWatch::MemoryWatch() : state_(std::make_unique<State>()) {
  state_->look();
  if (state_->peak > 0) state_->thread = platform::start_thread([state = state_.get()] { state->look_until_ended(); });
}

MemoryWatch::~MemoryWatch() {
  if (!state_->thread) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
  }
  state_->end.notify_one();
  state_->thread->join();
}

std::uint64_t MemoryWatch::peak_anonymous() {
  const std::lock_guard lock(state_->mutex);
  state_->look();
  return state_->peak;
}

}  // namespace onnxpress

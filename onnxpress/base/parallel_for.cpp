// Threads that take the next index from a shared counter, so that one large piece does not hold up the others.
#include "onnxpress/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace onnxpress {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto take_turns = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> others;
  const std::size_t threads = std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(take_turns);
  } catch (const std::system_error&) {
    // No more threads to be had: those that there are do the work.
  }
  take_turns();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace onnxpress

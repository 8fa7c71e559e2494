/// \file
/// The threads that parallel_for() uses: a pool that the caller owns, and the scope in which it is used.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace onnxpress {

/// A fixed number of threads, started when there is work for them for the first time, and joined by the destructor.
///
/// Any number of threads may share a pool, and work may itself call parallel_for(): the pool's threads help wherever
/// there is something left to do. A process that was forked from the owner has none of the threads and works alone.
class ThreadPool {
 public:
  /// `threads` counts the caller, which always takes part: 1 never starts a thread, 0 means one per processor.
  explicit ThreadPool(unsigned threads = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// How many calls of one for_each() can run at the same time.
  unsigned width() const { return width_; }

  /// Calls work(0) ... work(count - 1), each once, in any order. If calls throw, those that have not started are
  /// skipped, and the exception of the lowest number is thrown: the same one as without threads.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  struct State;

  unsigned width_;
  std::unique_ptr<State> state_;
};

/// While this object exists, everything that the library does in this thread uses the threads of `pool`.
class UseThreads {
 public:
  explicit UseThreads(ThreadPool& pool);
  UseThreads(const UseThreads&) = delete;
  UseThreads& operator=(const UseThreads&) = delete;
  ~UseThreads();

 private:
  ThreadPool* before_;
};

}  // namespace onnxpress

// Threads that take the next number from a shared counter, so that one large piece does not hold up the others.
#include "onnxpress/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/base/platform/process.h"
#include "onnxpress/base/platform/threads.h"

namespace onnxpress {

namespace {

// The pool that parallel_for() uses in this thread; UseThreads sets and restores it. No other thread can see it.
thread_local ThreadPool* current_pool = nullptr;

// One call of for_each(). It lives on the stack of the caller, who waits until no thread is inside it.
struct Job {
  const std::function<void(std::size_t)>& work;
  std::size_t count;
  std::atomic<std::size_t> next = 0;
  unsigned inside = 0;  // guarded by the pool's mutex
  std::mutex failure_mutex;
  std::size_t failed = 0;
  std::exception_ptr failure;

  void take_turns() {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) {
      try {
        work(i);
      } catch (...) {
        // Numbers are handed out in order, so all lower ones have begun and will report their own failures.
        const std::lock_guard lock(failure_mutex);
        if (!failure || i < failed) {
          failure = std::current_exception();
          failed = i;
        }
        next = count;
      }
    }
  }
};

}  // namespace

struct ThreadPool::State {
  std::uint64_t process = platform::process_id();
  std::mutex mutex;
  std::condition_variable wake, left;
  std::vector<Job*> jobs;  // those that may have numbers left; the innermost last
  std::vector<std::unique_ptr<platform::Thread>> threads;
  bool stop = false, no_more_threads = false;

  void serve(ThreadPool& pool) {
    const UseThreads for_nested_work(pool);
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stop || !jobs.empty(); });
      if (stop) return;
      Job* job = jobs.back();
      ++job->inside;
      lock.unlock();
      job->take_turns();
      lock.lock();
      std::erase(jobs, job);
      if (--job->inside == 0) left.notify_all();
    }
  }

  // The caller must hold the mutex.
  void start_threads(std::size_t count, ThreadPool& pool) {
    while (threads.size() < count && !no_more_threads) {
      if (auto thread = platform::start_thread([this, &pool] { serve(pool); })) {
        threads.push_back(std::move(thread));
      } else {
        no_more_threads = true;  // the existing threads do the work
      }
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : width_(threads > 0 ? threads : platform::processor_count()) {
  if (width_ > 1) state_ = std::make_unique<State>();
}

ThreadPool::~ThreadPool() {
  if (!state_) return;
  if (state_->process != platform::process_id()) {
    // NOLINTNEXTLINE(bugprone-unused-return-value): after a fork, the threads do not exist here and cannot be joined.
    (void)state_.release();
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (const auto& thread : state_->threads) thread->join();
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (!state_ || count < 2 || state_->process != platform::process_id()) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  Job job{work, count};
  {
    const std::lock_guard lock(state_->mutex);
    state_->start_threads(std::min<std::size_t>(count, width_) - 1, *this);
    state_->jobs.push_back(&job);
  }
  state_->wake.notify_all();
  job.take_turns();
  {
    std::unique_lock lock(state_->mutex);
    std::erase(state_->jobs, &job);
    state_->left.wait(lock, [&job] { return job.inside == 0; });
  }
  if (job.failure) std::rethrow_exception(job.failure);
}

UseThreads::UseThreads(ThreadPool& pool) : before_(current_pool) { current_pool = &pool; }
UseThreads::~UseThreads() { current_pool = before_; }

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (current_pool) return current_pool->for_each(count, work);
  if (count < 2) {
    if (count == 1) work(0);
    return;
  }
  ThreadPool pool;
  const UseThreads for_nested_work(pool);
  pool.for_each(count, work);
}

std::size_t parallel_width() { return current_pool ? current_pool->width() : platform::processor_count(); }

}  // namespace onnxpress

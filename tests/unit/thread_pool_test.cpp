// Thread pools: every piece of work is done once, by any thread, and errors reach the caller.
#include "onnxpress/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "onnxpress/base/parallel_for.h"

namespace onnxpress {
namespace {

std::vector<int> calls(std::size_t count) {
  std::vector<int> counts(count);
  parallel_for(count, [&](std::size_t i) { ++counts[i]; });
  return counts;
}

TEST(ThreadPool, DoesEveryPieceOnce) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    ThreadPool pool(threads);
    const UseThreads scope(pool);
    EXPECT_EQ(parallel_width(), threads);
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) EXPECT_EQ(calls(count), std::vector<int>(count, 1));
  }
}

TEST(ThreadPool, OfOneStartsNoThread) {
  ThreadPool pool(1);
  const UseThreads scope(pool);
  parallel_for(100,
               [caller = std::this_thread::get_id()](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(ThreadPool, UsesAllItsThreads) {
  ThreadPool pool(3);
  std::atomic<int> inside = 0;
  // No call returns before three have started, so this ends only if three threads work at the same time.
  pool.for_each(3, [&](std::size_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 3);
}

TEST(ThreadPool, ThrowsWhatTheFirstPieceThrew) {
  for (const unsigned threads : {1U, 4U}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      try {
        pool.for_each(100, [](std::size_t i) {
          if (i >= 10) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "10");
      }
    }
    std::atomic<int> done = 0;
    pool.for_each(100, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 100);
  }
}

TEST(ThreadPool, HelpsWithWorkInsideOfWork) {
  ThreadPool pool(4);
  const UseThreads scope(pool);
  std::atomic<int> done = 0;
  parallel_for(20, [&](std::size_t) {
    EXPECT_EQ(parallel_width(), 4U);
    parallel_for(20, [&](std::size_t) { parallel_for(3, [&](std::size_t) { ++done; }); });
  });
  EXPECT_EQ(done, 1200);
}

TEST(ThreadPool, ServesSeveralCallers) {
  ThreadPool pool(3);
  std::atomic<int> done = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      const UseThreads scope(pool);
      for (int round = 0; round < 100; ++round) parallel_for(10, [&](std::size_t) { ++done; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 4000);
}

TEST(ThreadPool, IsInUseOnlyInItsScope) {
  ThreadPool outer(5), inner(6);
  const std::size_t before = parallel_width();
  {
    const UseThreads scope(outer);
    {
      const UseThreads nested(inner);
      EXPECT_EQ(parallel_width(), 6U);
    }
    EXPECT_EQ(parallel_width(), 5U);
  }
  EXPECT_EQ(parallel_width(), before);
}

// After a fork, the child has the pool without its threads: it must not wait for them, nor for their end.
TEST(ThreadPool, WorksAloneAfterAFork) {
  auto pool = std::make_unique<ThreadPool>(3);
  pool->for_each(100, [](std::size_t) {});
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t done = 0;
    pool->for_each(100, [&](std::size_t) { ++done; });
    pool.reset();
    ::_exit(done == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace onnxpress

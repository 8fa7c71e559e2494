// Spreads independent pieces of work over threads. The library uses threads only through this function.
#pragma once

#include <cstddef>
#include <functional>

namespace onnxpress {

/// Calls work(0) ... work(count - 1), each once, in any order, on the threads of the pool in use (UseThreads in
/// thread_pool.h); without one, on as many threads as there are processors, for the duration of the call. If calls
/// throw, rethrows the exception of the one with the lowest number after all have ended. The result must not depend on
/// how many threads there are.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work);

/// How many calls parallel_for() would run at the same time here.
std::size_t parallel_width();

}  // namespace onnxpress

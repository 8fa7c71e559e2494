// Spreads independent pieces of work over the processor's cores.
#pragma once

#include <cstddef>
#include <functional>

namespace onnxpress {

// Calls work(0) ... work(count - 1), each once, in any order and on several threads. Throws the first exception that a
// call threw, after all threads have ended; calls that had not begun by then are left out.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace onnxpress

// The clock for how long something takes.
#pragma once

#include <chrono>

namespace onnxpress {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace onnxpress

// Measures what a task costs, for its report.
#pragma once

#include "onnxpress/base/clock.h"
#include "onnxpress/base/memory_watch.h"
#include "onnxpress/base/platform/process.h"

namespace onnxpress {

// Measures from its construction on.
class CostMeter {
 public:
  template <typename Report>
  void fill(Report& report) {
    report.seconds = seconds_since(begin_);
    report.peak_memory = platform::peak_memory();
    report.peak_anonymous = memory_.peak_anonymous();
  }

 private:
  Clock::time_point begin_ = Clock::now();
  MemoryWatch memory_;
};

// What these fields mean in every report.
inline constexpr const char* kPeakMemoryText =
    "peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell";
inline constexpr const char* kPeakAnonymousText =
    "the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked "
    "up every 4 ms, so a shorter peak may be missed; 0 if the system does not tell";

}  // namespace onnxpress

// A progress bar on standard error, for work that takes long enough to wonder.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/screen.h"

namespace onnxpress::cli {

class ProgressBar {
 public:
  // Shows nothing unless standard error is a terminal and more than a third of a second has passed.
  explicit ProgressBar(std::string label, const Screen& screen = standard_error());
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  void show(std::uint64_t done, std::uint64_t total);
  // Removes the bar, so that other text can follow.
  void clear();

  // The line as it is shown: "writing  [████      ]  40 %  410 MB of 1.02 GB".
  static std::string line(const std::string& label, std::uint64_t done, std::uint64_t total, std::size_t width);

 private:
  std::string label_;
  Screen screen_;
  std::chrono::steady_clock::time_point begin_, shown_;
  bool visible_ = false;
};

}  // namespace onnxpress::cli

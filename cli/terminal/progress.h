// A progress bar on standard error for work that takes more than a moment.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cli/terminal/screen.h"
#include "onnxpress/base/stages.h"

namespace onnxpress::cli {

// Shows the current stage, how much of it is done if that is known, and the time so far. A separate thread draws it, so
// that it moves even if nothing reports progress. It never shows 100 %: when the work is done, the bar disappears.
class ProgressBar {
 public:
  enum class Label { kFollowsStages, kStays };

  // Shows nothing unless standard error is a terminal and more than a third of a second has passed.
  explicit ProgressBar(std::string label, Label follows = Label::kFollowsStages,
                       const Screen& screen = standard_error());
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void show(std::uint64_t done, std::uint64_t total);
  // Calls show().
  std::function<void(std::uint64_t done, std::uint64_t total)> shower();
  // Removes the bar for good, so that other text can follow.
  void clear();

  // The line as it is shown: "writing  [████      ]  40 %  3 s"; without a share "reading  3 s".
  static std::string line(std::string_view label, std::optional<double> share, std::chrono::seconds time,
                          std::size_t width);

 private:
  void begin_stage(std::string_view name);
  void draw_until_cleared();

  Screen screen_;
  std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;  // guards the members below
  std::string label_;
  std::optional<double> share_;
  bool cleared_ = false, visible_ = false;
  std::condition_variable wake_;
  std::optional<HearStages> hears_;
  std::thread thread_;
};

}  // namespace onnxpress::cli

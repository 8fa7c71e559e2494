// Redraws the progress bar ten times per second.
#include "cli/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

using namespace std::chrono_literals;

ProgressBar::ProgressBar(std::string label, Label follows, const Screen& screen)
    : screen_(screen), begin_(std::chrono::steady_clock::now()), label_(std::move(label)) {
  if (!screen_.can_redraw) return;
  if (follows == Label::kFollowsStages) hears_.emplace([this](std::string_view name) { begin_stage(name); });
  thread_ = std::thread([this] { draw_until_cleared(); });
}

ProgressBar::~ProgressBar() { clear(); }

std::string ProgressBar::line(std::string_view label, std::optional<double> share, std::chrono::seconds time,
                              std::size_t width) {
  std::string out(label);
  if (share) {
    // Never show 100 % before the work is done.
    const double shown = std::clamp(*share, 0.0, 0.99);
    constexpr std::size_t kBarWidth = 30;
    const std::string filled = bar(shown, kBarWidth);
    const std::string empty(kBarWidth - std::min(kBarWidth, display_width(filled)), ' ');
    out += fmt::format("  [{}{}]  {:2.0f} %", filled, empty, std::floor(shown * 100));
  }
  return elided(out + fmt::format("  {} s", time.count()), width);
}

void ProgressBar::begin_stage(std::string_view name) {
  const std::lock_guard lock(mutex_);
  label_ = name;
  share_.reset();
}

void ProgressBar::show(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  if (total > 0) share_ = static_cast<double>(done) / static_cast<double>(total);
}

std::function<void(std::uint64_t, std::uint64_t)> ProgressBar::shower() {
  return [this](std::uint64_t done, std::uint64_t total) { show(done, total); };
}

void ProgressBar::draw_until_cleared() {
  std::unique_lock lock(mutex_);
  const auto is_cleared = [this] { return cleared_; };
  auto wait = 350ms;
  while (!wake_.wait_for(lock, wait, is_cleared)) {
    wait = 100ms;
    visible_ = true;
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
    talk("\r" + line(label_, share_, time, screen_.width - 1) + "\x1b[K");
  }
}

void ProgressBar::clear() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    cleared_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (visible_) talk("\r\x1b[K");
  visible_ = false;
}

}  // namespace onnxpress::cli

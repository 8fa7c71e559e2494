// Draws the bar over itself, at most ten times per second.
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/cell_text.h"
#include "cli/numbers.h"
#include "cli/table.h"

namespace onnxpress::cli {

using namespace std::chrono_literals;

ProgressBar::ProgressBar(std::string label, const Screen& screen)
    : label_(std::move(label)), screen_(screen), begin_(std::chrono::steady_clock::now()), shown_(begin_) {}

std::string ProgressBar::line(const std::string& label, std::uint64_t done, std::uint64_t total, std::size_t width) {
  const double share = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const std::string numbers = fmt::format("{:3.0f} %  {} of {}", share * 100, human_bytes(done), human_bytes(total));
  constexpr std::size_t kBarWidth = 30;
  const std::string filled = bar(share, kBarWidth);
  const std::string empty(kBarWidth - std::min(kBarWidth, display_width(filled)), ' ');
  return elided(fmt::format("{}  [{}{}]  {}", label, filled, empty, numbers), width);
}

void ProgressBar::show(std::uint64_t done, std::uint64_t total) {
  if (!screen_.can_redraw) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - begin_ < 350ms || now - shown_ < 100ms) return;
  shown_ = now;
  visible_ = true;
  talk("\r" + line(label_, done, total, screen_.width - 1) + "\x1b[K");
}

void ProgressBar::clear() {
  if (visible_) talk("\r\x1b[K");
  visible_ = false;
}

}  // namespace onnxpress::cli

// Draws images of text: lines of words in letters of five by seven dots, smoothed, which may lean a little or stand
// upside down.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "onnxpress/inputs/image_layout.h"
#include "onnxpress/inputs/signals.h"

namespace onnxpress::inputs {

namespace {

constexpr std::size_t kDotsAcross = 5, kDotsDown = 7;
// clang-format off
constexpr std::uint8_t kLetters[][kDotsDown] = {
    {0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001},  // A
    {0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110},  // B
    {0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110},  // C
    {0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110},  // D
    {0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111},  // E
    {0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000},  // F
    {0b01110, 0b10001, 0b10000, 0b10111, 0b10001, 0b10001, 0b01110},  // G
    {0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001},  // H
    {0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},  // I
    {0b00111, 0b00010, 0b00010, 0b00010, 0b00010, 0b10010, 0b01100},  // J
    {0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001},  // K
    {0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111},  // L
    {0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001},  // M
    {0b10001, 0b11001, 0b11001, 0b10101, 0b10011, 0b10011, 0b10001},  // N
    {0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110},  // O
    {0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000},  // P
    {0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001},  // R
    {0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110},  // S
    {0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100},  // T
    {0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110},  // U
    {0b10001, 0b10001, 0b10001, 0b10001, 0b01010, 0b01010, 0b00100},  // V
    {0b10001, 0b10001, 0b10001, 0b10101, 0b10101, 0b11011, 0b10001},  // W
    {0b10001, 0b01010, 0b01010, 0b00100, 0b01010, 0b01010, 0b10001},  // X
    {0b10001, 0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100},  // Y
    {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111},  // Z
    {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110},  // 0
    {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},  // 1
    {0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111},  // 2
    {0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110},  // 3
    {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010},  // 4
    {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110},  // 5
    {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110},  // 6
    {0b11111, 0b00001, 0b00010, 0b00010, 0b00100, 0b00100, 0b00100},  // 7
    {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110},  // 8
    {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100},  // 9
};
// clang-format on
constexpr std::size_t kLetterCount = std::size(kLetters);

// One page: where lines are, and what is written on them.
class Page {
 public:
  Page(double height, double width, RandomNumbers& random) : middle_y_(height / 2), middle_x_(width / 2) {
    // From one word that fills the image to small print; letters of fewer pixels than dots are none.
    const double letter = std::max(7.0, height * std::exp(random.uniform(-2.7, -0.25)));
    dot_ = letter / kDotsDown;
    pitch_ = dot_ * random.uniform(8.5, 13);
    advance_ = dot_ * random.uniform(5.8, 7);
    top_ = random.uniform(0, pitch_ - letter) - pitch_ * std::floor(height / pitch_);
    left_ = random.uniform(0, 2 * advance_) - advance_ * std::floor(width / advance_);
    const double lean = random.uniform(-0.08, 0.08);
    // One in four is upside down; one in four is turned by any angle, with strokes in all directions as handwriting
    // has.
    const auto turned = random.below(4);
    const double any_angle = random.uniform(-std::numbers::pi, std::numbers::pi);
    const double angle = turned == 0 ? lean + std::numbers::pi : turned == 1 ? any_angle : lean;
    cosine_ = std::cos(angle), sine_ = std::sin(angle);
    // Lines and letters beyond the edges, too: the page may be turned.
    lines_ = static_cast<std::size_t>(3 * std::floor(height / pitch_)) + 3;
    per_line_ = static_cast<std::size_t>(3 * std::floor(width / advance_)) + 3;
    written_.resize(lines_ * per_line_, kLetterCount);
    for (std::size_t line = 0; line < lines_; ++line) {
      const auto used = static_cast<std::size_t>(random.uniform(0.4, 1) * static_cast<double>(per_line_));
      for (std::size_t i = 0; i < used; ++i) {
        const bool space = random.below(6) == 0;
        if (!space) written_[line * per_line_ + i] = static_cast<std::size_t>(random.below(kLetterCount));
      }
    }
  }

  // How much ink there is at a place: 0 to 1.
  double ink(double y, double x) const {
    const double v = y - middle_y_, u = x - middle_x_;
    const double down = middle_y_ - sine_ * u + cosine_ * v - top_,
                 across = middle_x_ + cosine_ * u + sine_ * v - left_;
    if (down < 0 || across < 0) return 0;
    const auto line = static_cast<std::size_t>(down / pitch_), place = static_cast<std::size_t>(across / advance_);
    if (line >= lines_ || place >= per_line_) return 0;
    const std::size_t letter = written_[line * per_line_ + place];
    if (letter == kLetterCount) return 0;
    const double in_line = (down - static_cast<double>(line) * pitch_) / dot_ - 0.5;
    const double in_place = (across - static_cast<double>(place) * advance_) / dot_ - 0.5;
    return std::clamp(2 * between_dots(letter, in_line, in_place) - 0.5, 0.0, 1.0);
  }

 private:
  static double dot(std::size_t letter, double row, double column) {
    if (row < 0 || column < 0 || row >= kDotsDown || column >= kDotsAcross) return 0;
    return (kLetters[letter][static_cast<std::size_t>(row)] >> (kDotsAcross - 1 - static_cast<std::size_t>(column))) &
           1;
  }
  static double between_dots(std::size_t letter, double row, double column) {
    const double r = std::floor(row), c = std::floor(column), down = row - r, across = column - c;
    return (1 - down) * ((1 - across) * dot(letter, r, c) + across * dot(letter, r, c + 1)) +
           down * ((1 - across) * dot(letter, r + 1, c) + across * dot(letter, r + 1, c + 1));
  }

  double middle_y_, middle_x_, dot_, pitch_, advance_, top_, left_, cosine_, sine_;
  std::size_t lines_, per_line_;
  std::vector<std::size_t> written_;  // kLetterCount: nothing
};

}  // namespace

Signal text_image(const ops::Sizes& sizes, RandomNumbers& random) {
  const ImageLayout layout(sizes);
  Signal out(ops::count_of(sizes).value_or(0));
  for (std::size_t image = 0; image < layout.images; ++image) {
    const Page page(static_cast<double>(layout.rows), static_cast<double>(layout.columns), random);
    const bool is_dark = random.below(4) == 0;  // light letters
    const double contrast = random.uniform(0.35, 0.95), grain = std::exp(random.uniform(-6, -3.5));
    // Photographs of a page have shades and a tint; scans have none.
    const double photographed = random.below(2) == 0 ? 1 : 0;
    const double shade_down = photographed * random.uniform(-0.15, 0.15),
                 shade_across = photographed * random.uniform(-0.15, 0.15);
    const double paper = is_dark ? random.uniform(0, 0.95 - contrast) : random.uniform(contrast + 0.05, 1);
    std::array<double, 4> tints{};
    for (double& tint : tints) tint = photographed * random.uniform(-0.08, 0.08);
    layout.fill(out, image, [&](std::size_t r, std::size_t c, std::size_t p) {
      const double y = static_cast<double>(r) + 0.5, x = static_cast<double>(c) + 0.5;
      const double shade = shade_down * (y / static_cast<double>(layout.rows) - 0.5) +
                           shade_across * (x / static_cast<double>(layout.columns) - 0.5);
      const double ink = (is_dark ? contrast : -contrast) * page.ink(y, x);
      return std::clamp(paper + ink + shade + tints[p % tints.size()] + grain * random.normal(), 0.0, 1.0);
    });
  }
  return out;
}

}  // namespace onnxpress::inputs

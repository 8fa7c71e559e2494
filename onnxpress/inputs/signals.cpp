// Generates noise, images of waves and rectangles, and sounds of harmonics with pauses.
#include "onnxpress/inputs/signals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "onnxpress/inputs/image_layout.h"

namespace onnxpress::inputs {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

std::size_t count_of(const ops::Sizes& sizes) { return ops::count_of(sizes).value_or(0); }

// A rectangle, or the ellipse in it. Places are parts of the whole: 0 to 1.
struct Area {
  double top, left, bottom, right, value;
  bool round;
  static Area any(RandomNumbers& random, double least, double most) {
    const double height = random.uniform(least, most), width = random.uniform(least, most);
    const double top = random.uniform(0, 1 - height), left = random.uniform(0, 1 - width);
    return {top, left, top + height, left + width, random.uniform(-0.5, 0.5), random.below(2) == 0};
  }
  bool holds(double y, double x) const {
    if (y < top || y >= bottom || x < left || x >= right) return false;
    if (!round) return true;
    const double across = 2 * (x - left) / (right - left) - 1, down = 2 * (y - top) / (bottom - top) - 1;
    return across * across + down * down < 1;
  }
};

struct Wave {
  double across, down, phase, height;
  static Wave any(RandomNumbers& random, double most) {
    return {random.uniform(-most, most), random.uniform(-most, most), random.uniform(0, kTurn),
            random.uniform(0.05, 0.2)};
  }
  double at(double y, double x) const { return height * std::cos(kTurn * (across * x + down * y) + phase); }
};

// The rough surface of grass, gravel or skin: noise on grids of 4 to 64 cells across, the coarse ones strongest. Grids
// that are finer than the pixels are left out, because there can be very many small images.
class Texture {
 public:
  Texture(RandomNumbers& random, std::size_t pixels_across) {
    constexpr std::size_t kCells[] = {4, 8, 16, 32, 64};
    double strength = std::exp(random.uniform(-4.5, -1.2));
    const double finer = random.uniform(0.4, 0.9);  // strength of each grid over that of the one before
    for (const std::size_t cells : kCells) {
      if (cells > pixels_across) break;
      Grid& grid = grids_.emplace_back(Grid{cells, std::vector<float>((cells + 1) * (cells + 1))});
      for (float& each : grid.points) each = static_cast<float>(strength * random.uniform(-1, 1));
      strength *= finer;
    }
  }
  double at(double y, double x) const {
    double sum = 0;
    for (const Grid& grid : grids_) sum += grid.at(y, x);
    return sum;
  }

 private:
  struct Grid {
    std::size_t cells;
    std::vector<float> points;
    double at(double y, double x) const {
      const double down = y * static_cast<double>(cells), right = x * static_cast<double>(cells);
      const auto row = static_cast<std::size_t>(down), column = static_cast<std::size_t>(right);
      const double v = down - static_cast<double>(row), u = right - static_cast<double>(column);
      const float* const above = points.data() + row * (cells + 1) + column;
      const float* const below = above + cells + 1;
      return (1 - v) * ((1 - u) * above[0] + u * above[1]) + v * ((1 - u) * below[0] + u * below[1]);
    }
  };
  std::vector<Grid> grids_;
};

// Most photographs are neither dark nor bright on average, but some are taken at night or in snow.
double any_brightness(RandomNumbers& random) {
  switch (random.below(8)) {
    case 0:
      return random.uniform(0, 0.2);
    case 1:
      return random.uniform(0.75, 1);
    default:
      return std::clamp(0.45 + 0.12 * random.normal(), 0.2, 0.8);
  }
}

}  // namespace

Signal normal_noise(const ops::Sizes& sizes, RandomNumbers& random) {
  Signal out(count_of(sizes));
  for (float& each : out) each = static_cast<float>(random.normal());
  return out;
}

Signal uniform_noise(const ops::Sizes& sizes, RandomNumbers& random) {
  Signal out(count_of(sizes));
  for (float& each : out) each = static_cast<float>(random.uniform());
  return out;
}

Signal smooth_image(const ops::Sizes& sizes, RandomNumbers& random) {
  const ImageLayout layout(sizes);
  Signal out(count_of(sizes));
  for (std::size_t image = 0; image < layout.images; ++image) {
    std::array<Wave, 4> waves{};
    std::array<Area, 5> areas{};
    std::array<double, 4> tints{};
    // From plain areas with hardly any grain to busy scenes: models are least sure about the former, and about images
    // that are as bright as photographs are on average, since nothing of that is left when they have been normalized.
    const double contrast = random.uniform(0.3, 1.4), waviness = std::exp(random.uniform(-1, 1.4));
    const double grain = std::exp(random.uniform(-6, -3.5));
    const double brightness = any_brightness(random);
    const Texture texture(random, std::max(layout.rows, layout.columns));
    for (Wave& wave : waves) wave = Wave::any(random, waviness);
    for (Area& area : areas) area = Area::any(random, 0.1, 0.5);
    const double colour = random.uniform(0, 0.15);  // from gray to colourful
    for (double& tint : tints) tint = colour * random.uniform(-1, 1);
    layout.fill(out, image, [&](std::size_t r, std::size_t c, std::size_t p) {
      const double y = (static_cast<double>(r) + 0.5) / static_cast<double>(layout.rows);
      const double x = (static_cast<double>(c) + 0.5) / static_cast<double>(layout.columns);
      double value = 0;
      for (const Wave& wave : waves) value += wave.at(y, x);
      for (const Area& area : areas) value += area.holds(y, x) ? area.value : 0;
      value = brightness + tints[p % tints.size()] + contrast * value + texture.at(y, x) + grain * random.normal();
      return std::clamp(value, 0.0, 1.0);
    });
  }
  return out;
}

Signal normalized_image(Signal image, const ops::Sizes& sizes) {
  // Of ImageNet: red, green and blue; the last one is for images without colours.
  constexpr std::array<float, 4> kMeans = {0.485F, 0.456F, 0.406F, 0.449F};
  constexpr std::array<float, 4> kDeviations = {0.229F, 0.224F, 0.225F, 0.226F};
  const ImageLayout layout(sizes);
  for (std::size_t each = 0; each < layout.images; ++each) {
    layout.for_each(each, [&](std::size_t at, std::size_t, std::size_t, std::size_t plane) {
      const std::size_t channel = layout.planes == 3 ? plane : 3;
      if (at < image.size()) image[at] = (image[at] - kMeans[channel]) / kDeviations[channel];
    });
  }
  return image;
}

Signal speech(const ops::Sizes& sizes, RandomNumbers& random) {
  constexpr double kRate = 16000;
  constexpr int kHarmonics = 24;
  const std::size_t length = sizes.empty() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(1, sizes.back()));
  Signal out(count_of(sizes));
  // From a noisy room to a recording without any noise but its rounding to 16 bits.
  const double volume = std::exp(random.uniform(-4.5, 0.7)), hiss = std::exp(random.uniform(-11, -3.5));
  const bool is_tone = random.below(8) == 0;  // as music has them: most of the spectrum is empty
  const int harmonics = is_tone ? 1 : kHarmonics;
  for (std::size_t begin = 0; begin < out.size(); begin += length) {
    const double pitch = is_tone ? std::exp(random.uniform(4.5, 8)) : random.uniform(90, 240);
    const double syllables = is_tone ? 0.5 : random.uniform(3, 6), start = random.uniform(0, 1);
    const double tilt = random.uniform(1, 2);
    std::array<double, kHarmonics> heights{}, phases{};
    for (int k = 0; k < harmonics; ++k) {
      heights[static_cast<std::size_t>(k)] = random.uniform(0.1, 0.5) * std::pow(k + 1, -tilt);
      phases[static_cast<std::size_t>(k)] = random.uniform(0, kTurn);
    }
    for (std::size_t i = 0; i < length && begin + i < out.size(); ++i) {
      const double t = static_cast<double>(i) / kRate;
      const double loud = std::max(0.0, std::sin(kTurn * (syllables * t + start)) + 0.3);
      double value = hiss * random.normal();
      for (int k = 0; k < harmonics; ++k) {
        const auto at = static_cast<std::size_t>(k);
        value += volume * loud * heights[at] * std::sin(kTurn * pitch * (k + 1) * t + phases[at]);
      }
      out[begin + i] = static_cast<float>(value);
    }
  }
  return out;
}

Signal blobs(const ops::Sizes& sizes, RandomNumbers& random) {
  const ImageLayout layout(sizes);
  Signal out(count_of(sizes));
  for (std::size_t image = 0; image < layout.images; ++image) {
    const Area first = Area::any(random, 0.3, 0.5), second = Area::any(random, 0.1, 0.3);
    layout.fill(out, image, [&](std::size_t r, std::size_t c, std::size_t) {
      const double y = (static_cast<double>(r) + 0.5) / static_cast<double>(layout.rows);
      const double x = (static_cast<double>(c) + 0.5) / static_cast<double>(layout.columns);
      return first.holds(y, x) || second.holds(y, x) ? 1 : 0;
    });
  }
  return out;
}

}  // namespace onnxpress::inputs

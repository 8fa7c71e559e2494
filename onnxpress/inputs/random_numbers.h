// RandomNumbers: our own generator, so that numbers do not depend on the standard library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onnxpress::inputs {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). The same seed and name give
// the same numbers everywhere.
class RandomNumbers {
 public:
  RandomNumbers(std::uint64_t seed, std::string_view name) : state_(seed ^ 0xcbf29ce484222325U) {
    for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;  // FNV-1a
  }
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit < 1 ? 1 : limit));
  }
  // Mean 0, deviation 1, by the ziggurat method as Doornik describes it ("An improved ziggurat method to generate
  // normal random samples", 2005). It nearly always takes one multiplication; the two logarithms of the method used
  // before took most of the time of a check.
  double normal() {
    static const Layers kLayers;
    while (true) {
      const std::uint64_t bits = next();
      const std::size_t i = bits % Layers::kCount;
      const double u = 2 * (static_cast<double>(bits >> 11) * 0x1.0p-53) - 1, x = u * kLayers.edge[i];
      if (std::abs(x) < kLayers.edge[i + 1]) return x;
      if (i == 0) return u < 0 ? -tail() : tail();
      const double outer = std::exp((x * x - kLayers.edge[i] * kLayers.edge[i]) / 2),
                   inner = std::exp((x * x - kLayers.edge[i + 1] * kLayers.edge[i + 1]) / 2);
      if (inner + uniform() * (outer - inner) < 1) return x;
    }
  }

 private:
  static constexpr double kTailBegin = 3.442619855899;
  // Layers of equal area under the bell curve, the lowest first: `edge` is how far each extends to the right.
  struct Layers {
    static constexpr std::size_t kCount = 128;
    double edge[kCount + 1];

    Layers() {
      constexpr double kArea = 9.91256303526217e-3;
      double height = std::exp(-kTailBegin * kTailBegin / 2);
      edge[0] = kArea / height;  // includes the tail
      edge[1] = kTailBegin;
      edge[kCount] = 0;
      for (std::size_t i = 2; i < kCount; ++i) {
        edge[i] = std::sqrt(-2 * std::log(kArea / edge[i - 1] + height));
        height = std::exp(-edge[i] * edge[i] / 2);
      }
    }
  };
  // A sample from the tail, beyond the lowest layer.
  double tail() {
    double x = 0, y = 0;
    do {
      x = -std::log(1 - uniform()) / kTailBegin;
      y = -std::log(1 - uniform());
    } while (2 * y < x * x);
    return kTailBegin + x;
  }

  std::uint64_t state_;
};

}  // namespace onnxpress::inputs

// RandomNumbers: one generator of our own, so that numbers do not depend on the standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace onnxpress::tasks {

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
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

 private:
  std::uint64_t state_;
};

}  // namespace onnxpress::tasks

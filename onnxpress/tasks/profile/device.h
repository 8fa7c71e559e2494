// Devices that times can be estimated for: peak operations and bytes per second of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onnxpress {

struct Device {
  std::string name;
  double gflops_float = 0, gflops_float16 = 0, gflops_int8 = 0;  // 10^9 operations per second; a multiply-add is two
  double gb_per_s = 0;                                           // of its memory
  double memory_gb = 0;                                          // 0: not known
  double cache_gb_per_s = 0;                                     // for data that fits into its cache; 0: not known

  // 32, 16 or 8 bits; a device without units for a type computes in the next larger one.
  double flops(int bits) const;
  double bytes_per_s() const { return gb_per_s * 1e9; }
  // The rate for work that moves this many bytes, which may fit into the cache.
  double bytes_per_s(double bytes) const {
    return is_in_cache(bytes) && cache_gb_per_s > gb_per_s ? cache_gb_per_s * 1e9 : bytes_per_s();
  }
  static bool is_in_cache(double bytes) { return bytes < 2e6; }
};

struct KnownDevice {
  std::string_view name;
  double gflops_float, gflops_float16, gflops_int8, gb_per_s, memory_gb;
};
// From data sheets: dense figures, without sparsity.
std::span<const KnownDevice> known_devices();

// A known name, or a JSON file: {"name": "...", "gflops_float": 100, "gflops_float16": 200, "gflops_int8": 400,
// "gb_per_s": 20, "memory_gb": 8}. Throws Error.
Device load_device(const std::string& file_or_name);

}  // namespace onnxpress

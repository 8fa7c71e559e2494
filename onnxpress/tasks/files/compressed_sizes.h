// The download size of files after gzip -9, brotli -11 and zstd -19, computed part by part without writing anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

enum class Compressor : std::uint8_t { kGzip, kBrotli, kZstd };
template <>
struct Words<Compressor> {
  static constexpr std::pair<std::string_view, Compressor> kAll[] = {
      {"gzip", Compressor::kGzip}, {"brotli", Compressor::kBrotli}, {"zstd", Compressor::kZstd}};
};

// "15MB:brotli": the most that a download may take.
struct DownloadTarget {
  std::uint64_t bytes = 0;
  Compressor compressor = Compressor::kBrotli;
  friend bool operator==(const DownloadTarget&, const DownloadTarget&) = default;
};

struct CompressedSizes {
  std::uint64_t gzip = 0, brotli = 0, zstd = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("gzip", &CompressedSizes::gzip, "after gzip -9");
    visit("brotli", &CompressedSizes::brotli, "after brotli -q 11");
    visit("zstd", &CompressedSizes::zstd, "after zstd -19");
  }
};

// False in builds without the three libraries; compressed_sizes() then throws Error.
bool can_compress();

// The sums over the files, each compressed on its own. Uses all cores. `progress` counts the bytes that the compressors
// read, so the total is three times the size of the files.
CompressedSizes compressed_sizes(const std::vector<std::string>& files,
                                 const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});
// The same with one compressor.
std::uint64_t compressed_size(const std::vector<std::string>& files, Compressor compressor,
                              const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});
// The same for bytes in memory.
std::uint64_t compressed_size(std::string_view bytes, Compressor compressor,
                              const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

}  // namespace onnxpress::tasks

// The download size of files after gzip -9, brotli -11 and zstd -19, computed part by part without writing anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

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

}  // namespace onnxpress

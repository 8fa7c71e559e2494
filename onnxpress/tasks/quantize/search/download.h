// Finds the estimated size whose result is small enough after compression: the work behind `--max-download`.
#pragma once

#include <cstdint>
#include <functional>

#include "onnxpress/tasks/files/compressed_sizes.h"

namespace onnxpress::tasks {

struct DownloadFit {
  std::uint64_t estimate = 0;  // what the choice of bits aims for
  std::uint64_t download = 0;  // size of the result of that choice after the compressor, in bytes
};

// `try_estimate` shrinks the model for an estimate and returns the size of the result after a compressor. Throws Error
// if even the smallest result is too large.
DownloadFit fit_download(const DownloadTarget& target,
                         const std::function<std::uint64_t(std::uint64_t estimate, Compressor)>& try_estimate);

}  // namespace onnxpress::tasks

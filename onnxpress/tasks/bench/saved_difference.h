// Compares the outputs that two processes saved as 0.npy, 1.npy, and so on.
#pragma once

#include <filesystem>
#include <optional>

#include "onnxpress/compare/output_difference.h"

namespace onnxpress {

struct SavedDifference {
  compare::OutputDifference all;     // of all outputs together
  std::optional<double> lowest_snr;  // of an output, in dB; nullopt when all are equal
};

// `right` and `other` are folders. Throws Error when a file cannot be read.
SavedDifference saved_difference(const std::filesystem::path& right, const std::filesystem::path& other);

}  // namespace onnxpress

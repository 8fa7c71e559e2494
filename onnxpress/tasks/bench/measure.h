// Runs models in turns, each in its own process, which is stopped while another has its turn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/bench/bench.h"

namespace onnxpress {

// A model to measure, and its results.
struct Contestant {
  std::filesystem::path model;
  std::string error;  // why there are no figures
  double load = 0, first_run = 0;
  std::vector<double> times;  // of all runs, except the first of each turn
  std::vector<double> turns;  // the median of each turn; in the same order for all contestants
  std::uint64_t memory = 0;
};

struct MeasureSettings {
  std::string program;
  unsigned threads = 0;
  engines::OrtLevel level = engines::OrtLevel::kAll;
  std::string provider;
  std::filesystem::path inputs;   // a folder as write_inputs() makes it
  std::filesystem::path outputs;  // a folder; outputs of the i-th contestant go to its subfolder i
  double seconds = 20, limit = 120;
};

// Returns how many rounds there were. Problems with a contestant are recorded in it.
std::uint64_t measure(std::vector<Contestant>& contestants, const MeasureSettings& settings);

// Runs the model without the runtime's optimizations and without packed weights, and saves its outputs in a folder.
// Throws Error.
void save_plain_outputs(const std::filesystem::path& model, const MeasureSettings& settings,
                        const std::filesystem::path& folder);

// Files that ONNX Runtime wrote: its profile of a few runs, and the model after its own optimizations.
struct ProfiledModel {
  std::filesystem::path profile, optimized;
};
// Profiles `runs` runs after the first. Throws Error.
ProfiledModel profile_of(const std::filesystem::path& model, const MeasureSettings& settings, std::uint64_t runs);

// The quantile of the numbers, interpolated; 0 when there are none. A share of 0.5 gives the median.
double quantile(std::vector<double> numbers, double share);

}  // namespace onnxpress

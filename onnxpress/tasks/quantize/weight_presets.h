// What options that name schemes mean: presets, --scheme and --levels, and which of them leave the choice to onnxpress.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/weights/lossy/scheme.h"

namespace onnxpress::tasks {

// Schemes are tried in turn until the weights keep `least` dB; if none does, the best one is taken. Scales for smaller
// blocks help if a channel has outliers. If rows are short, blocks of few bits can be larger than 8 bits per channel.
struct PresetSchemes {
  WeightPreset preset;
  double least;
  std::vector<std::string_view> schemes;
  // For the smallest tensors, as long as they are a small part of all weights; empty: as for the others. They cost
  // little and matter most: on yolov8n, 12 bits for them make the outputs 5 dB better for 1 % of the file.
  std::string_view for_small = {};
};

// The schemes of the preset; null if it is not a list of schemes.
const PresetSchemes* preset_of(const CompressOptions& options);

// The scheme that the options set for all weights; nullopt if they set none. Throws Error for words that make no sense.
std::optional<weights::Scheme> one_scheme(const CompressOptions& options);

// Are bits chosen for each tensor?
bool chooses(const CompressOptions& options);
// Throws Error if several goals are set.
void require_one_goal(const CompressOptions& options);

}  // namespace onnxpress::tasks

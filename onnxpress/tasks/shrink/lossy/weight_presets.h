// What options that name schemes mean: presets, --scheme and --levels, and which of them leave the choice to onnxpress.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "onnxpress/tasks/shrink/lossy/compress_weights.h"
#include "onnxpress/weights/lossy/scheme.h"

namespace onnxpress::tasks {

// Tried in turn until the weights keep `least` dB; the best of them where none does. Scales for smaller blocks help
// where a channel has outliers. Of tensors with short rows, blocks of few bits can be larger than 8 bits per channel.
struct PresetSchemes {
  WeightPreset preset;
  double least;
  std::vector<std::string_view> schemes;
  // For the smallest tensors, as long as they are a small part of all weights; empty: the same. They cost little and
  // are felt most: on yolov8n, 12 bits for them make the outputs 5 dB better for 1 % of the file.
  std::string_view for_small = {};
};

// The preset, if it is a list of schemes.
const PresetSchemes* preset_of(const CompressOptions& options);

// The one scheme for all weights that the options say; nullopt where it is chosen by tensor. Throws Error for words
// that make no sense.
std::optional<weights::Scheme> one_scheme(const CompressOptions& options);

// Are bits chosen by tensor?
bool chooses(const CompressOptions& options);
// Throws Error when several goals are said.
void require_one_goal(const CompressOptions& options);

}  // namespace onnxpress::tasks

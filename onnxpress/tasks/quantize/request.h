// What the options of quantize mean: the scheme that they set, the goal, the defaults of the target.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/weights/lossy/scheme.h"
#include "onnxpress/weights/target.h"

namespace onnxpress {

// Schemes are tried in turn until the weights keep `least` dB; if none does, the best one is taken. Scales for smaller
// blocks help if a channel has outliers. If rows are short, blocks of few bits can be larger than 8 bits per channel.
struct PresetSchemes {
  Bits preset;
  double least;
  std::vector<std::string_view> schemes;
  // For the smallest tensors, as long as they are a small part of all weights; empty: as for the others. They cost
  // little and matter most: on yolov8n, 12 bits for them make the outputs 5 dB better for 1 % of the file.
  std::string_view for_small = {};
};

// The options, complete, and what follows from them.
struct Request {
  QuantizeOptions options;  // with the target's defaults for those that are not set
  weights::Target runtime = weights::Target::kOrt;
  std::optional<weights::Scheme> scheme;  // for all weights; nullopt: the options set none
  const PresetSchemes* preset = nullptr;  // null: not a list of schemes
  double quality = 0;                     // of the outputs, in dB; 0: none is asked for
  bool chooses = false;                   // are bits chosen for each tensor?
  bool measures = false;                  // are the outputs compared, before and after?
  // Are errors rounded so that they cancel out? By default, where the goal is about outputs, or where the size is given
  // and the outputs should be as good as they can be at that size.
  bool compensates = false;
};

// Throws Error for options that make no sense, or do not work with each other or the target.
Request request_of(const QuantizeOptions& options);

}  // namespace onnxpress

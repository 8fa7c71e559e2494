// The runtime that a shrunk model is for: how it stores weights, and which options do not work with it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/weights/target.h"

namespace onnxpress::tasks {

enum class ShrinkTarget : std::uint8_t { kOrt, kOrtWebGpu, kOrtFormat, kAny, kBrowser, kPhone, kServer, kLlm };
template <>
struct Words<ShrinkTarget> {
  static constexpr std::pair<std::string_view, ShrinkTarget> kAll[] = {{"ort", ShrinkTarget::kOrt},
                                                                       {"ort-web-gpu", ShrinkTarget::kOrtWebGpu},
                                                                       {"ort-format", ShrinkTarget::kOrtFormat},
                                                                       {"any", ShrinkTarget::kAny},
                                                                       {"browser", ShrinkTarget::kBrowser},
                                                                       {"phone", ShrinkTarget::kPhone},
                                                                       {"server", ShrinkTarget::kServer},
                                                                       {"llm", ShrinkTarget::kLlm}};
};

weights::Target runtime_of(ShrinkTarget target);

// The options, with the target's defaults for those that are not set: the encoding, and what is made small. Throws
// Error for options that do not work with the target.
CompressOptions options_for(ShrinkTarget target, CompressOptions options);

}  // namespace onnxpress::tasks

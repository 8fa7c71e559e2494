// What a model is made for: a runtime, or a place where one runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

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

}  // namespace onnxpress::tasks

// The runtime of each target.
#include "onnxpress/tasks/shrink/shrink_target.h"

#include <algorithm>

namespace onnxpress {

namespace {

constexpr std::pair<ShrinkTarget, weights::Target> kRuntimes[] = {
    {ShrinkTarget::kOrt, weights::Target::kOrt},
    {ShrinkTarget::kServer, weights::Target::kOrt},
    {ShrinkTarget::kOrtWebGpu, weights::Target::kOrtWebGpu},
    {ShrinkTarget::kBrowser, weights::Target::kOrtWebGpu},
    {ShrinkTarget::kOrtFormat, weights::Target::kOrtFormat},
    {ShrinkTarget::kPhone, weights::Target::kOrtFormat},
    {ShrinkTarget::kAny, weights::Target::kAny},
    {ShrinkTarget::kLlm, weights::Target::kOrt},
};

}  // namespace

weights::Target runtime_of(ShrinkTarget target) {
  return std::ranges::find(kRuntimes, target, &std::pair<ShrinkTarget, weights::Target>::first)->second;
}

}  // namespace onnxpress

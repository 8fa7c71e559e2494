// Each thread has one current listener, the innermost.
#include "onnxpress/base/stages.h"

#include <utility>

namespace onnxpress {

namespace {

thread_local const StageListener* current_listener = nullptr;

}  // namespace

HearStages::HearStages(StageListener listener)
    : listener_(std::move(listener)), before_(std::exchange(current_listener, &listener_)) {}

HearStages::~HearStages() { current_listener = before_; }

void begin_stage(std::string_view name) {
  if (current_listener && *current_listener) (*current_listener)(name);
}

StageListener stage_listener() { return current_listener ? *current_listener : StageListener(); }

}  // namespace onnxpress

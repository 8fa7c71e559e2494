// Reports what a long call is doing right now, as named stages one after another, to code that shows progress.
#pragma once

#include <functional>
#include <string_view>

namespace onnxpress {

using StageListener = std::function<void(std::string_view name)>;

/// While this object exists, `listener` is told of every stage that the library begins in this thread.
class HearStages {
 public:
  explicit HearStages(StageListener listener);
  HearStages(const HearStages&) = delete;
  HearStages& operator=(const HearStages&) = delete;
  ~HearStages();

 private:
  StageListener listener_;
  const StageListener* before_;
};

// The name is shown to users, such as "encoding weights". A stage lasts until the next one begins. The amounts of work
// that a call reports start from zero in each stage.
void begin_stage(std::string_view name);

// The listener for stages in this thread; empty if there is none.
StageListener stage_listener();

}  // namespace onnxpress

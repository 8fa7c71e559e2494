// Runs work in a separate process, so that a library that crashes or hangs there does not affect this process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "onnxpress/base/platform/child_process.h"

namespace onnxpress::platform {

// How the process ended, and the last note that it left.
struct ApartEnd {
  ChildEnd end;
  std::string note;
};
using LeaveNote = std::function<void(std::string_view)>;

// Calls `work`, which must not throw, in a copy of this process; its return value is the exit code. The copy shares
// files with this process, but changes in its memory do not come back. Other threads do not exist in the copy, so none
// of them may hold a lock. The copy is killed after `seconds`, if given. On platforms without processes, `work` runs
// here.
ApartEnd run_apart(const std::function<int(const LeaveNote& leave_note)>& work, std::optional<double> seconds);

}  // namespace onnxpress::platform

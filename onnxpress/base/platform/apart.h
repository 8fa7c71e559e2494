// Runs work in a separate process, so that a library that crashes or hangs there does not affect this one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "onnxpress/base/platform/child_process.h"

namespace onnxpress::platform {

// How it ended, and the last note that it left.
struct ApartEnd {
  ChildEnd end;
  std::string note;
};
using LeaveNote = std::function<void(std::string_view)>;

// Calls `work`, which must not throw, in a copy of this process; what it returns is the exit code. It shares files with
// this process, but nothing that it changes in memory comes back. Threads of this process do not exist there: no lock
// may be held by one. Ended after so many seconds, if a limit is given. Where there are no processes, it runs here.
ApartEnd run_apart(const std::function<int(const LeaveNote& leave_note)>& work, std::optional<double> seconds);

}  // namespace onnxpress::platform

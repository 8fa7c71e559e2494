// There are no other processes on this platform, so nothing runs apart.
#include "onnxpress/base/platform/apart.h"

namespace onnxpress::platform {

ApartEnd run_apart(const std::function<int(const LeaveNote& leave_note)>& work, std::optional<double>) {
  ApartEnd done;
  done.end.exit_code = work([&done](std::string_view text) { done.note = text; });
  return done;
}

}  // namespace onnxpress::platform

// There are no other programs on this platform: every call fails.
#include "onnxpress/base/platform/child_process.h"

#include "onnxpress/base/error.h"

namespace onnxpress::platform {

struct ChildProcess::Handles {};

ChildProcess::ChildProcess(const std::vector<std::string>&, const Environment&) {
  throw Error("", "this build cannot start other programs");
}
ChildProcess::~ChildProcess() = default;
bool ChildProcess::write_line(std::string_view) { return false; }
std::optional<std::string> ChildProcess::read_line(double) { return std::nullopt; }
void ChildProcess::pause() {}
void ChildProcess::resume() {}
ChildEnd ChildProcess::finish(double) { return {}; }
std::string ChildProcess::errors() const { return {}; }

std::string own_program() { return {}; }
std::string to_string(const ChildEnd&, double) { return "was not started"; }

}  // namespace onnxpress::platform

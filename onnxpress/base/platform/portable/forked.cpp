// Processes cannot be copied on this platform.
#include "onnxpress/base/platform/forked.h"

#include "onnxpress/base/error.h"

namespace onnxpress::platform {

struct Channel::Limit {};

Channel::Channel(int descriptor, bool) : descriptor_(descriptor), broken_(true) {}
Channel::~Channel() = default;
void Channel::allow(double) {}
bool Channel::write(const void*, std::size_t) { return !broken_; }
bool Channel::flush() { return !broken_; }
void Channel::hang_up() {}
bool Channel::read(void*, std::size_t) { return descriptor_ >= 0 && !broken_; }

bool Forked::is_possible() { return false; }
Forked::Forked(const std::function<void(Channel&)>&) { throw Error("", "this build cannot start other processes"); }
Forked::~Forked() = default;
ChildEnd Forked::end() { return {.exit_code = pid_ < 0 ? -1 : 0}; }

}  // namespace onnxpress::platform

// Tells the caller of the C interface how far its call is.
#include "onnxpress/c_api/call.h"

namespace onnxpress::c_api {

namespace {

// The call that this thread is in: work in other threads is not told of, because few languages expect to be called back
// there.
thread_local const Call* current_call = nullptr;

constexpr std::uint64_t kMostThreads = 1024;

}  // namespace

Call::Call(std::uint64_t threads, onnxpress_progress told, void* data) : progress_(told), data_(data) {
  if (threads > kMostThreads)
    throw BadCall(fmt::format("option 'threads' is {}, but at most {} are possible", threads, kMostThreads));
  if (threads > 0) use_.emplace(pool_.emplace(static_cast<unsigned>(threads)));
  if (progress_) {
    hear_.emplace([this](std::string_view stage) {
      if (current_call != this) return;
      stage_ = stage;
      tell(0, 0);
    });
  }
  before_ = std::exchange(current_call, this);  // nothing after this throws, so it is always undone
}

Call::~Call() { current_call = before_; }

std::function<void(std::uint64_t, std::uint64_t)> Call::progress() const {
  if (!progress_) return {};
  return [this](std::uint64_t done, std::uint64_t total) { tell(done, total); };
}

void Call::tell(std::uint64_t done, std::uint64_t total) const {
  if (!progress_ || current_call != this) return;
  if (progress_(data_, stage_.c_str(), done, total) != 0) throw Cancelled();
}

Answer::Answer(std::string json, std::string why_not, std::string advice)
    : report(std::make_unique<onnxpress_report>()), no(std::move(why_not)), hint(std::move(advice)) {
  report->text = std::move(json);
}

}  // namespace onnxpress::c_api

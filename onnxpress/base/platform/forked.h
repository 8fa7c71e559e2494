// A copy of this process that answers messages, so that a library that crashes or hangs there does not affect this one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "onnxpress/base/platform/child_process.h"

namespace onnxpress::platform {

// Bytes to and from the other process. What is written waits until flush(), unless it is large.
class Channel {
 public:
  Channel(int descriptor, bool has_deadline);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // All that follows must be done within this time, until the next call. Without a call there is no limit.
  void allow(double seconds);
  // Return false when the other process is gone or does not answer in time; nothing can be sent or read any more then.
  bool write(const void* bytes, std::size_t size);
  bool flush();
  bool read(void* bytes, std::size_t size);
  bool is_late() const { return late_; }
  // Tells the other process that nothing follows.
  void hang_up();

 private:
  bool send(const char* bytes, std::size_t size);
  // Returns how many bytes came, at most `size`; 0: none will.
  std::size_t receive(char* bytes, std::size_t size);
  bool wait_until_ready(short events);

  struct Limit;
  std::unique_ptr<Limit> limit_;  // null: waits forever
  int descriptor_;
  bool late_ = false, broken_ = false;
  std::string out_, in_;
  std::size_t in_at_ = 0;
};

class Forked {
 public:
  // Can this platform copy processes?
  static bool is_possible();
  // Calls `serve`, which must not throw, in the copy, and ends the copy when it returns. The copy also ends when this
  // process does. Other threads do not exist in the copy, so none of them may hold a lock. Throws
  // Error when no process can be started.
  explicit Forked(const std::function<void(Channel& parent)>& serve);
  // Hangs up and waits for the copy to end; kills it if it takes long.
  ~Forked();
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  Channel& channel() { return *channel_; }
  // After the channel broke: waits a little for the copy to end, kills it if it does not, and says how it ended. The
  // temporary folders of a copy that was killed or crashed are removed.
  ChildEnd end();

 private:
  std::unique_ptr<Channel> channel_;
  long pid_ = -1;
};

}  // namespace onnxpress::platform

// Forks, and joins both processes with a pair of sockets.
#include "onnxpress/base/platform/forked.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/posix/differences.h"
#include "onnxpress/base/platform/posix/sanitizer_locks.h"
#include "onnxpress/base/platform/threads.h"
#include "onnxpress/base/temporary_folder.h"

namespace onnxpress::platform {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

#ifdef MSG_NOSIGNAL
constexpr int kNoSignal = MSG_NOSIGNAL;  // writing to a process that is gone fails, instead of ending this one
#else
constexpr int kNoSignal = 0;
#endif

// Locks that other threads hold at this moment would never be released in the copy. The C library takes care of its
// own.
pid_t fork_with_free_locks() {
  wait_for_beginning_threads();
  const SanitizerLocks locks;
  return ::fork();
}

// A signal that the system sends when the parent ends would already come when the thread ends that forked, so the copy
// looks for itself.
void end_with_parent(pid_t parent) {
  constexpr unsigned kInterval = 500'000;  // microseconds
  while (::getppid() == parent) ::usleep(kInterval);
  remove_temporary_folders_of(::getpid());
  ::_exit(1);
}

}  // namespace

struct Channel::Limit {
  std::optional<Clock::time_point> end;
};

Channel::Channel(int descriptor, bool has_deadline)
    : limit_(has_deadline ? std::make_unique<Limit>() : nullptr), descriptor_(descriptor) {
#ifdef SO_NOSIGPIPE
  const int on = 1;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
}

Channel::~Channel() { ::close(descriptor_); }

void Channel::allow(double seconds) {
  constexpr double kLongest = 1e8;  // three years; a larger number would not fit into the clock's
  if (limit_)
    limit_->end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(seconds, kLongest)));
}

bool Channel::wait_until_ready(short events) {
  if (broken_) return false;
  if (!limit_ || !limit_->end) return true;
  for (;;) {
    const auto left = std::chrono::duration<double, std::milli>(*limit_->end - Clock::now()).count();
    struct pollfd waiting {
      descriptor_, events, 0
    };
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(std::min(left, 1e6)) + 1) : 0;
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) break;
    if (left <= 0) {
      late_ = true;
      break;
    }
  }
  broken_ = true;
  return false;
}

bool Channel::send(const char* bytes, std::size_t size) {
  while (size > 0) {
    if (!wait_until_ready(POLLOUT)) return false;
    // With a limit, a full socket must not block.
    const auto sent = ::send(descriptor_, bytes, size, kNoSignal | (limit_ ? MSG_DONTWAIT : 0));
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return !(broken_ = true);
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return !broken_;
}

std::size_t Channel::receive(char* bytes, std::size_t size) {
  for (;;) {
    if (!wait_until_ready(POLLIN)) return 0;
    const auto came = ::recv(descriptor_, bytes, size, 0);
    if (came > 0) return static_cast<std::size_t>(came);
    if (came < 0 && errno == EINTR) continue;
    broken_ = true;
    return 0;
  }
}

bool Channel::write(const void* bytes, std::size_t size) {
  const auto* begin = static_cast<const char*>(bytes);
  if (out_.size() + size < kBuffer) {
    out_.append(begin, size);
    return !broken_;
  }
  return flush() && send(begin, size);
}

bool Channel::flush() {
  const bool sent = send(out_.data(), out_.size());
  out_.clear();
  return sent;
}

bool Channel::read(void* bytes, std::size_t size) {
  auto* to = static_cast<char*>(bytes);
  const std::size_t held = std::min(size, in_.size() - in_at_);
  if (held > 0) std::memcpy(to, in_.data() + in_at_, held);  // `to` is null for an empty array
  in_at_ += held, to += held, size -= held;
  while (size >= kBuffer) {
    const std::size_t came = receive(to, size);
    if (came == 0) return false;
    to += came, size -= came;
  }
  while (size > 0) {
    in_.resize(kBuffer);
    in_.resize(receive(in_.data(), kBuffer));
    in_at_ = std::min(size, in_.size());
    if (in_.empty()) return false;
    std::memcpy(to, in_.data(), in_at_);
    to += in_at_, size -= in_at_;
  }
  return true;
}

void Channel::hang_up() { ::shutdown(descriptor_, SHUT_RDWR); }

bool Forked::is_possible() { return true; }

Forked::Forked(const std::function<void(Channel&)>& serve) {
  int ends[2];
  if (!make_sockets(ends))
    throw Error("", fmt::format("no connection to another process could be made: {}", std::strerror(errno)));
  std::fflush(nullptr);  // otherwise both processes would write what is buffered
  const pid_t parent = ::getpid();
  const pid_t pid = fork_with_free_locks();
  if (pid == 0) {
    ::close(ends[0]);
    const auto watch = start_thread([parent] { end_with_parent(parent); });
    Channel channel(ends[1], false);
    serve(channel);
    std::fflush(nullptr);
    ::_exit(0);
  }
  const int why = errno;
  ::close(ends[1]);
  channel_ = std::make_unique<Channel>(ends[0], true);
  if (pid < 0) throw Error("", fmt::format("no process could be started: {}", std::strerror(why)));
  pid_ = pid;
}

namespace {

// Waits for the process to end, and kills it when the time is over. False if the host program collects the ends of its
// processes itself.
bool wait_or_kill(pid_t pid, int milliseconds, int& status, struct rusage& resources) {
  pid_t found = 0;
  for (int i = 0; i < milliseconds && found == 0; ++i) {
    found = ::wait4(pid, &status, WNOHANG, &resources);
    if (found == 0) ::usleep(1000);
  }
  if (found == 0) {
    ::kill(pid, SIGKILL);
    while ((found = ::wait4(pid, &status, 0, &resources)) < 0 && errno == EINTR) {
    }
  }
  return found > 0;
}

}  // namespace

Forked::~Forked() {
  if (pid_ <= 0) return;
  channel_->hang_up();
  end();
}

ChildEnd Forked::end() {
  ChildEnd end;
  end.timed_out = channel_->is_late();
  if (pid_ <= 0) return end;
  constexpr int kLongest = 2000;  // writing a core dump takes a while, and so does unloading a large model
  const auto pid = static_cast<pid_t>(std::exchange(pid_, -1));
  int status = 0;
  struct rusage resources {};
  const bool found = wait_or_kill(pid, end.timed_out ? 0 : kLongest, status, resources);
  if (!found || WIFSIGNALED(status)) remove_temporary_folders_of(pid);
  if (!found) return end;
  end.peak_memory = static_cast<std::uint64_t>(resources.ru_maxrss) * kUnitOfPeakMemory;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace onnxpress::platform

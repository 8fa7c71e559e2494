// Runs work in a forked process; both processes share a page of memory.
#include "onnxpress/base/platform/apart.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "onnxpress/base/error.h"

namespace onnxpress::platform {

namespace {

// The child process writes the note; the parent reads it after the child has ended.
class SharedNote {
 public:
  SharedNote() : page_(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (page_ == MAP_FAILED) throw Error("", fmt::format("no memory could be shared: {}", std::strerror(errno)));
  }
  ~SharedNote() { ::munmap(page_, kSize); }
  SharedNote(const SharedNote&) = delete;
  SharedNote& operator=(const SharedNote&) = delete;

  void write(std::string_view text) {
    const std::size_t size = std::min(text.size(), kSize - 1);
    std::memcpy(page_, text.data(), size);
    static_cast<char*>(page_)[size] = '\0';
  }
  std::string text() const { return {static_cast<const char*>(page_)}; }

 private:
  static constexpr std::size_t kSize = 4096;
  void* page_;
};

void wait_for(pid_t pid, std::optional<double> seconds, ChildEnd& end) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto passed = [begin] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  int status = 0;
  struct rusage usage {};
  const auto ended = [&](int flags) {
    pid_t found = 0;
    while ((found = ::wait4(pid, &status, flags, &usage)) < 0 && errno == EINTR) {
    }
    return found != 0;
  };
  if (!seconds) {
    ended(0);
  } else {
    while (!ended(WNOHANG)) {
      if (passed() < *seconds) {
        ::usleep(5000);
        continue;
      }
      end.timed_out = true;
      ::kill(pid, SIGKILL);
      ended(0);
      break;
    }
  }
  end.seconds = passed();
  end.peak_memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
}

}  // namespace

ApartEnd run_apart(const std::function<int(const LeaveNote& leave_note)>& work, std::optional<double> seconds) {
  SharedNote note;
  std::fflush(nullptr);  // otherwise both processes would write what is buffered
  const pid_t pid = ::fork();
  if (pid < 0) throw Error("", fmt::format("no process could be started: {}", std::strerror(errno)));
  if (pid == 0) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    const int code = work([&note](std::string_view text) { note.write(text); });
    std::fflush(nullptr);
    ::_exit(code);
  }
  ApartEnd done;
  wait_for(pid, seconds, done.end);
  done.note = note.text();
  return done;
}

}  // namespace onnxpress::platform

// Installs signal handlers. The SIGBUS handler may only use async-signal-safe calls (open, read, write, _exit) and must
// not allocate memory.
#include "cli/terminal/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "cli/cli.h"

namespace onnxpress::cli {

namespace {

// One line of /proc/self/maps at a time: "7f00-7f10 r--p 00000000 fe:01 123    /path/model.onnx".
class MapsReader {
 public:
  MapsReader() : descriptor_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapsReader() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MapsReader(const MapsReader&) = delete;
  MapsReader& operator=(const MapsReader&) = delete;

  // The path of the mapping that holds `address`, or null when it is not a file.
  const char* path_at(std::uintptr_t address) {
    while (next_line()) {
      const char* at = line_;
      const std::uintptr_t begin = hex(at);
      ++at;
      const std::uintptr_t end = hex(at);
      if (address < begin || address >= end) continue;
      char* path = std::strchr(line_, '/');
      // A path is untrusted text, too.
      for (char* c = path; c && *c; ++c) {
        if (static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f) *c = '?';
      }
      return path;
    }
    return nullptr;
  }

 private:
  bool next_line() {
    std::size_t length = 0;
    while (true) {
      if (at_ == filled_) {
        const ssize_t got = descriptor_ < 0 ? 0 : read(descriptor_, buffer_, sizeof buffer_);
        if (got <= 0) return false;
        filled_ = static_cast<std::size_t>(got);
        at_ = 0;
      }
      const char c = buffer_[at_++];
      if (c == '\n') break;
      if (length + 1 < sizeof line_) line_[length++] = c;
    }
    line_[length] = '\0';
    return true;
  }

  static std::uintptr_t hex(const char*& at) {
    std::uintptr_t value = 0;
    for (;; ++at) {
      const char c = *at;
      if (c >= '0' && c <= '9') {
        value = value * 16 + static_cast<std::uintptr_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
      } else {
        return value;
      }
    }
  }

  int descriptor_;
  char buffer_[1024];
  std::size_t at_ = 0, filled_ = 0;
  char line_[4608];  // PATH_MAX and the numbers before it
};

void say(const char* text) { [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text)); }

// Several threads read weights and may reach the truncated part at the same time. The first one prints the message and
// ends the program, and the others wait for that. (If the handler were reset, the second thread would kill the process
// before the first has printed anything.)
std::atomic_flag is_ending = ATOMIC_FLAG_INIT;

void on_bus_error(int signal, siginfo_t* info, void*) {
  while (is_ending.test_and_set()) pause();
  if (info->si_code == BUS_ADRERR) {
    MapsReader maps;
    if (const char* path = maps.path_at(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
      say("error: ");
      say(path);
      say(": the file was truncated while it was being read\nhint: try again, or use --no-mmap\n");
      _exit(kBadInput);
    }
  }
  // Not one of our files: this is a bug, which must end the process in the usual way (a core dump, for example).
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
  // Writing to a closed pipe then fails with EPIPE, the stack unwinds, and half-written files are removed.
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace onnxpress::cli

// Starts programs with fork and exec, and talks to them through pipes.
#include "onnxpress/base/platform/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "onnxpress/base/clock.h"
#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/posix/differences.h"

namespace onnxpress::platform {

namespace {

void close_once(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

struct Pipe {
  int from = -1, to = -1;
  Pipe() {
    int ends[2];
    if (!make_pipe(ends)) throw Error("", fmt::format("no pipe could be made: {}", std::strerror(errno)));
    from = ends[0], to = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_once(from);
    close_once(to);
  }
};

// The environment of this process, with the variables that the caller adds or replaces.
std::vector<std::string> environment_with(const ChildProcess::Environment& more) {
  std::vector<std::string> all;
  for (char** each = platform::environment(); each && *each; ++each) {
    const std::string_view text(*each);
    const bool replaced = std::ranges::any_of(more, [text](const auto& one) {
      return text.starts_with(one.first) && text.substr(one.first.size()).starts_with('=');
    });
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string found_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* folders = std::getenv("PATH");
  std::string_view rest = folders ? folders : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string path = fmt::format("{}/{}", rest.substr(0, end), program);
    if (::access(path.c_str(), X_OK) == 0) return path;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return program;
}

}  // namespace

// Closes everything itself: if the constructor of ChildProcess throws, its destructor does not run.
struct ChildProcess::Handles {
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    close_once(input);
    close_once(output);
    if (errors) std::fclose(errors);
  }

  pid_t pid = -1;
  int input = -1, output = -1;
  std::FILE* errors = nullptr;
  Clock::time_point begin = Clock::now();
  bool paused = false;
};

ChildProcess::ChildProcess(const std::vector<std::string>& words, const Environment& environment)
    : handles_(std::make_unique<Handles>()) {
  // Nothing may allocate between fork and exec, so everything is prepared before.
  std::vector<std::string> arguments = words, variables = environment_with(environment);
  const std::string program = found_in_path(words.front());
  const std::vector<char*> argv = pointers_to(arguments), envp = pointers_to(variables);
  handles_->errors = std::tmpfile();
  const int errors = handles_->errors ? ::fileno(handles_->errors) : 2;
  Pipe in, out, failure;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    ::dup2(in.from, 0);
    ::dup2(out.to, 1);
    ::dup2(errors, 2);
    ::signal(SIGPIPE, SIG_DFL);
    ::execve(program.c_str(), argv.data(), envp.data());
    const int why = errno;
    const auto written = ::write(failure.to, &why, sizeof(why));
    ::_exit(written > 0 ? 127 : 126);
  }
  int why = pid < 0 ? errno : 0;
  close_once(in.from);
  close_once(out.to);
  close_once(failure.to);
  handles_->pid = pid;
  handles_->input = std::exchange(in.to, -1);
  handles_->output = std::exchange(out.from, -1);
  const auto read = pid < 0 ? 0 : ::read(failure.from, &why, sizeof(why));
  if (pid < 0 || read > 0) {
    if (pid > 0) finish(1);
    throw Error("", fmt::format("{} cannot be started: {}", quote_name(words.front()), std::strerror(why)));
  }
}

ChildProcess::~ChildProcess() {
  if (handles_->pid > 0) finish(0);
}

bool ChildProcess::write_line(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  std::size_t done = 0;
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  while (done < text.size()) {
    const auto written = ::write(handles_->input, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  return done == text.size();
}

std::optional<std::string> ChildProcess::read_line(double seconds) {
  const auto begin = Clock::now();
  for (;;) {
    if (const std::size_t end = rest_.find('\n'); end != std::string::npos) {
      std::string line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return line;
    }
    const double left = seconds - seconds_since(begin);
    struct pollfd waiting {
      handles_->output, POLLIN, 0
    };
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(std::min(left * 1000, 1e6)) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    char buffer[1 << 14];
    const auto count = ::read(handles_->output, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    rest_.append(buffer, static_cast<std::size_t>(count));
  }
}

void ChildProcess::pause() {
  if (handles_->pid > 0) ::kill(-handles_->pid, SIGSTOP);
  handles_->paused = true;
}

void ChildProcess::resume() {
  if (handles_->pid > 0 && handles_->paused) ::kill(-handles_->pid, SIGCONT);
  handles_->paused = false;
}

ChildEnd ChildProcess::finish(double seconds) {
  ChildEnd end;
  if (handles_->pid <= 0) return end;
  resume();
  close_once(handles_->input);
  const auto begin = Clock::now();
  // Keeps what it still writes, up to a limit. The pipe closes when the program ends.
  constexpr std::size_t kMostKept = std::size_t{64} << 20;
  std::string kept;
  while (const auto line = read_line(seconds - seconds_since(begin))) {
    if (kept.size() < kMostKept) kept += *line + "\n";
  }
  rest_ = kept + rest_;
  int status = 0;
  struct rusage usage {};
  pid_t ended = 0;
  while ((ended = ::wait4(handles_->pid, &status, WNOHANG, &usage)) == 0 && seconds_since(begin) < seconds)
    ::usleep(2000);
  if (ended == 0) {
    end.timed_out = true;
    ::kill(-handles_->pid, SIGKILL);
    ::kill(handles_->pid, SIGKILL);
    ::wait4(handles_->pid, &status, 0, &usage);
  }
  end.seconds = seconds_since(handles_->begin);
  end.peak_memory = static_cast<std::uint64_t>(usage.ru_maxrss) * kUnitOfPeakMemory;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  ::kill(-handles_->pid, SIGKILL);  // kills programs that it started and left behind
  handles_->pid = -1;
  return end;
}

std::string ChildProcess::errors() const {
  if (!handles_->errors) return {};
  constexpr long kMost = 2000;
  std::fseek(handles_->errors, 0, SEEK_END);
  const long size = std::ftell(handles_->errors);
  std::fseek(handles_->errors, std::max(0L, size - kMost), SEEK_SET);
  std::string text(static_cast<std::size_t>(std::min(size, kMost)), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), handles_->errors));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string own_program() {
  char path[PATH_MAX];
#ifdef __APPLE__
  std::uint32_t size = sizeof(path);
  return _NSGetExecutablePath(path, &size) == 0 ? std::string(path) : std::string();
#else
  const auto length = ::readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
#endif
}

std::string to_string(const ChildEnd& end, double seconds_limit) {
  if (end.timed_out) return fmt::format("took more than {:.0f} s", seconds_limit);
  if (end.signal == SIGSEGV || end.signal == SIGABRT || end.signal == SIGBUS || end.signal == SIGILL ||
      end.signal == SIGFPE)
    return fmt::format("crashed (signal {})", end.signal);
  if (end.signal == SIGKILL) return "was killed: perhaps it ran out of memory";
  if (end.signal != 0) return fmt::format("was stopped by signal {}", end.signal);
  return fmt::format("ended with exit code {}", end.exit_code);
}

}  // namespace onnxpress::platform

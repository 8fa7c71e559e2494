// Starts other programs, talks to them, pauses and stops them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onnxpress::platform {

// How a program ended.
struct ChildEnd {
  int exit_code = -1;  // if it ended by itself
  int signal = 0;      // if a signal ended it
  bool timed_out = false;
  double seconds = 0;
  std::uint64_t peak_memory = 0;  // peak resident memory in bytes

  bool is_good() const { return exit_code == 0 && signal == 0 && !timed_out; }
};
// "ended with exit code 3", "crashed (signal 11)", "took more than 60 s".
std::string to_string(const ChildEnd& end, double seconds_limit);

// A program with pipes to its standard input and output; what it writes to standard error is kept. It is killed, with
// all programs it started, when this object is destroyed.
class ChildProcess {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;  // added to that of this process

  // `words`: the program (a path, or a name to find in PATH) and its arguments. Throws Error when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& words, const Environment& environment = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns false when the program no longer reads.
  bool write_line(std::string_view line);
  // nullopt when no line came in time, or none will come any more.
  std::optional<std::string> read_line(double seconds);
  // Pauses the program, including threads that are busy waiting, and lets it continue.
  void pause();
  void resume();
  // Closes its input, waits, and kills it when the time is over. What it wrote in the meantime is in rest().
  ChildEnd finish(double seconds);
  const std::string& rest() const { return rest_; }
  std::string errors() const;  // the last few lines of its standard error

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  std::string rest_;
};

// The path of the running program; empty when the system does not tell.
std::string own_program();

}  // namespace onnxpress::platform

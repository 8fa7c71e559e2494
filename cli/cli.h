// What the command files share: a command declares its options on a CLI::App and gives back what to do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

namespace onnxpress::cli {

// The exit codes of every command.
inline constexpr int kDone = 0;      // the command did what was asked
inline constexpr int kNo = 1;        // the answer is no: check found problems, diff found differences
inline constexpr int kUsage = 2;     // the command line is wrong
inline constexpr int kBadInput = 3;  // a file is missing, damaged or hostile

// The command line is wrong in a way that only the command itself can see (two options that exclude each other, a
// missing output): exit code 2. What the parser sees is reported by main() without it.
struct UsageError : std::runtime_error {
  explicit UsageError(const std::string& message, std::string what_to_do = {})
      : std::runtime_error(message), hint(std::move(what_to_do)) {}
  std::string hint;
};

// Runs the command and returns its exit code. May throw Error (exit code 3) or UsageError (exit code 2).
// Prints with print() and talk() of cli/screen.h, so that a full disk or a closed pipe is noticed.
using Action = std::function<int()>;

struct Command {
  const char* name;
  const char* summary;               // one line, for the list of commands
  const char* example;               // a few lines, for the end of --help
  Action (*add)(CLI::App& command);  // declares options; the Action reads the parsed values
};

// Throws UsageError unless the name of a result says which form it shall have (and is not standard output, where the
// report goes).
void require_output_form(const std::string& output);

// One file per command. The type name of an option drives help and shell completion: "FILE" completes files, "a|b|c"
// those words.
Action add_check(CLI::App& command);
Action add_completion(CLI::App& command);
Action add_convert(CLI::App& command);
Action add_diff(CLI::App& command);
Action add_expand(CLI::App& command);
Action add_generate(CLI::App& command);
Action add_infer(CLI::App& command);
Action add_info(CLI::App& command);
Action add_run(CLI::App& command);
Action add_shrink(CLI::App& command);

}  // namespace onnxpress::cli

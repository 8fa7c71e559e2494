// The command line as plain data: the commands, and the options and arguments of each. The parser
// (cli/arguments/parse.cpp),
// --help, shell completion and usage errors all read these tables.
#pragma once

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onnxpress::cli {

// The exit codes of every command.
inline constexpr int kDone = 0;      // the command did what was asked
inline constexpr int kNo = 1;        // the answer is no: check found problems, diff found differences
inline constexpr int kUsage = 2;     // the command line is wrong
inline constexpr int kBadInput = 3;  // a file is missing, damaged or hostile

// The command line is wrong: exit code 2. Thrown by the parser, and by commands for what only they can see (two options
// that exclude each other, a missing output).
struct UsageError : std::runtime_error {
  explicit UsageError(const std::string& message, std::string what_to_do = {})
      : std::runtime_error(message), hint(std::move(what_to_do)) {}
  std::string hint;
};

// Thrown by Option::set for a text that is not valid; the parser adds the name of the option.
struct BadValue : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The group of --help and --version, which comes last.
inline constexpr const char* kOtherGroup = "Other";

enum class Takes {
  kNothing,   // --json
  kValue,     // --top 3; the last one counts
  kMaybe,     // --external-data, or --external-data NAME
  kEach,      // --shape x=1 --shape y=2; an argument: any number of them
  kCommaList  // --only splat,share
};

// Options that the parser handles itself, before everything else.
enum class Asks { kNothing, kHelp, kAllHelp, kVersion };

using Texts = std::vector<std::string>;

struct Option {
  Texts names;  // "-o", "--output"; an argument has one name without dashes: "MODEL"
  // The name of its value in help texts. Also controls completion: "FILE" completes files, "a|b|c" those words,
  // "COMMAND" commands.
  std::string label;
  std::string help;
  Takes takes = Takes::kValue;
  std::function<void(const Texts& texts)> set;  // called once, with every text that was given
  std::string group = "Options";
  bool required = false;
  bool rare = false;  // shown by --help-all only
  Asks asks = Asks::kNothing;
  bool given = false;  // set by the parser

  bool is_argument() const { return !names.front().starts_with('-'); }
};

// The options of every command: -h, --help, --help-all, --quiet, --color, --threads.
void add_standard_options(std::deque<Option>& options, unsigned& threads);
Option version_option();

// Runs the command and returns its exit code. May throw Error (exit code 3) or UsageError (exit code 2).
// Prints with print() and talk() of cli/terminal/screen.h, so that a full disk or a closed pipe is noticed.
using Action = std::function<int()>;

struct Program;

struct Command {
  std::string name, summary;  // one line, for the list of commands
  std::string example;        // a few lines, for the end of --help
  const Program* program = nullptr;
  std::deque<Option> options{};  // references to them stay valid
  Action action{};

  Option& add(Option option);
  Option* find(std::string_view name);  // null: no option of that name
  // `names`, separated by blanks, are the options that --help shows, besides those of every command; --help-all shows
  // all.
  void show_first(std::string_view names);
  bool was_given(std::string_view name) const;
};

struct Program {
  std::string name, summary, example;
  std::deque<Option> options{};
  std::deque<Command> commands{};
  unsigned threads = 0;  // 0: one per processor

  Command& add_command(std::string command_name, std::string command_summary, std::string command_example = {});
  const Command* find(std::string_view command_name) const;  // null: no such command
};

// "onnxpress", "onnxpress info"
std::string full_name(const Program& program, const Command* command);

}  // namespace onnxpress::cli

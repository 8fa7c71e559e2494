// Options made from field lists, and the messages about a wrong command line.
#include <gtest/gtest.h>

#include "cli/arguments/completion_script.h"
#include "cli/arguments/help.h"
#include "cli/arguments/options.h"
#include "cli/arguments/parse.h"

namespace onnxpress::cli {

enum class Fruit { kApple, kPear };

struct InnerOptions {
  static constexpr std::string_view kTitle = "Inner";
  bool deep_flag = false;
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("deep_flag", &InnerOptions::deep_flag, "a flag of a part");
  }
};

struct TestOptions {
  bool some_flag = false;
  std::uint64_t count = 1, limit_bytes = 2;
  Fruit fruit = Fruit::kApple;
  std::optional<std::string> note;
  std::optional<std::uint64_t> most;
  std::optional<Fruit> second;
  InnerOptions inner;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("some_flag", &TestOptions::some_flag, "a flag");
    visit("count", &TestOptions::count, "a number");
    visit("limit_bytes", &TestOptions::limit_bytes, "a size");
    visit("fruit", &TestOptions::fruit, "a word");
    visit("note", &TestOptions::note, "a text that may be left out");
    visit("most", &TestOptions::most, "a number or none");
    visit("second", &TestOptions::second, "a word or none");
    visit("", &TestOptions::inner, "");
  }
};

}  // namespace onnxpress::cli

template <>
struct onnxpress::Words<onnxpress::cli::Fruit> {
  static constexpr std::pair<std::string_view, onnxpress::cli::Fruit> kAll[] = {
      {"apple", onnxpress::cli::Fruit::kApple}, {"pear", onnxpress::cli::Fruit::kPear}};
};

namespace onnxpress::cli {
namespace {

// A program with one command, `eat FILE...`, that has all of the options above.
struct TestProgram {
  TestProgram() {
    add_standard_options(program.options, program.threads);
    command = &program.add_command("eat", "eats it");
    add_file_argument(*command, "FILE", files, "what to eat");
    add_options(*command, options);
  }

  // Empty when the command line is fine.
  std::string problem(const Texts& words) {
    try {
      parse(program, words);
      return "";
    } catch (const UsageError& usage) {
      EXPECT_NE(usage.hint, "");
      return usage.what();
    }
  }

  Program program{"prog", "a program", ""};
  Command* command;
  std::vector<std::string> files;
  TestOptions options;
};

TEST(Options, AreMadeFromFields) {
  TestProgram program;
  EXPECT_EQ(program.problem({"eat", "x", "--some-flag", "--count", "7", "--limit-bytes=1.5KiB", "--fruit", "pear",
                             "--note", "hello", "--most", "9", "--second", "apple", "--deep-flag", "y"}),
            "");
  EXPECT_EQ(program.files, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(program.options.some_flag);
  EXPECT_EQ(program.options.count, 7u);
  EXPECT_EQ(program.options.limit_bytes, 1536u);
  EXPECT_EQ(program.options.fruit, Fruit::kPear);
  EXPECT_EQ(program.options.note, "hello");
  EXPECT_EQ(program.options.most, 9u);
  EXPECT_EQ(program.options.second, Fruit::kApple);
  EXPECT_TRUE(program.options.inner.deep_flag);
}

TEST(Options, DefaultsStayAndTheLastOneCounts) {
  TestProgram program;
  EXPECT_EQ(program.problem({"eat", "x", "--count", "3", "--count", "4", "--note"}), "");
  EXPECT_EQ(program.options.count, 4u);
  EXPECT_EQ(program.options.note, "");
  EXPECT_EQ(program.options.most, std::nullopt);
  EXPECT_EQ(program.options.second, std::nullopt);
  EXPECT_FALSE(program.options.some_flag);
}

TEST(Options, AnOptionalValueDoesNotEatARequiredArgument) {
  TestProgram program;
  EXPECT_EQ(program.problem({"eat", "--note", "x"}), "");
  EXPECT_EQ(program.options.note, "");
  EXPECT_EQ(program.files, std::vector<std::string>{"x"});
}

TEST(Usage, SaysWhatWasMeant) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"eat"}, "FILE is missing"},
      {{"eat", "--coutn", "3", "x"}, "unknown option '--coutn'; did you mean '--count'?"},
      {{"eat", "--som"}, "unknown option '--som'; did you mean '--some-flag'?"},  // although FILE is missing, too
      {{"eat", "x", "--qqqq=1"}, "unknown option '--qqqq'"},
      {{"eat", "x", "-z"}, "unknown option '-z'"},
      {{"eat", "x", "--a\x1b[1mb"}, "unknown option '--a\\x1b[1mb'"},
      {{"eta"}, "unknown command 'eta'; did you mean 'eat'?"},
      {{"frobnicate"}, "unknown command 'frobnicate'; the commands are eat"},
      {{"."}, "'.' is a file; put a command before it"},
      {{"--eat"}, "unknown option '--eat'"},
      {{"eat", "x", "--count", "-3"}, "--count: '-3' is not a whole number"},
      {{"eat", "x", "--count", "1.5"}, "--count: '1.5' is not a whole number"},
      {{"eat", "x", "--limit-bytes", "much"}, "--limit-bytes: 'much' is not a size such as 1024, 64KB or 1.5MiB"},
      {{"eat", "x", "--fruit", "pera"}, "--fruit: 'pera' is not one of apple, pear; did you mean 'pear'?"},
      {{"eat", "x", "--fruit", "zzz"}, "--fruit: 'zzz' is not one of apple, pear"},
  };
  for (const auto& [words, problem] : cases) {
    TestProgram program;
    EXPECT_EQ(program.problem(words), problem);
  }
}

TEST(Help, ListsEverythingOnce) {
  TestProgram program;
  const std::string help = help_text(program.program, program.command);
  for (const char* part :
       {"prog eat: eats it\n", "Usage  prog eat FILE... [OPTIONS]\n", "Arguments\n  FILE...", "--limit-bytes BYTES ",
        "--fruit apple|pear ", "--note [NAME] ", "\nInner\n  --deep-flag  a flag of a part\n"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part << " is not in:\n" << help;
  }
  EXPECT_NE(help_text(program.program, nullptr).find("Commands\n  eat  eats it\n"), std::string::npos);
}

TEST(Completion, KnowsCommandsOptionsAndWords) {
  TestProgram program;
  const std::string bash = bash_completion(program.program), zsh = zsh_completion(program.program);
  EXPECT_NE(bash.find("_onnxpress_words 'eat -h --help --help-all -q --quiet --color --threads'"), std::string::npos);
  EXPECT_NE(bash.find("--fruit) _onnxpress_words 'apple pear'; return ;;"), std::string::npos);
  EXPECT_NE(bash.find("--count) :; return ;;"), std::string::npos);
  EXPECT_EQ(bash.find("--note)"), std::string::npos) << "no completion for a value that may be left out";
  EXPECT_NE(zsh.find("'--fruit=[a word]:value:(apple pear)'"), std::string::npos);
  EXPECT_NE(zsh.find("'--some-flag[a flag]'"), std::string::npos);
  EXPECT_NE(zsh.find("'--note=[a text that may be left out]::NAME:'"), std::string::npos);
}

}  // namespace
}  // namespace onnxpress::cli

// The table of all commands: how much --help shows, and whether the rows of moved options name options that exist.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/arguments/moved_options.h"
#include "cli/cli.h"

namespace onnxpress::cli {
namespace {

struct FullProgram {
  FullProgram() { describe(program); }
  Program program;
};

TEST(Commands, ShowAtMostTwentyOptionsByHelp) {
  constexpr auto kMost = 20;
  const FullProgram full;
  EXPECT_GT(full.program.commands.size(), 20u);
  for (const Command& command : full.program.commands) {
    const auto shown = std::ranges::count_if(command.options, [](const Option& option) {
      return !option.rare && !option.is_argument() && option.group != kOtherGroup;
    });
    EXPECT_LE(shown, kMost) << command.name << ": name those of most use in the table of cli/main.cpp";
  }
}

bool has_option(const Command& command, std::string_view name) {
  return std::ranges::any_of(command.options, [&](const Option& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ' || c == '[' || c == ']')
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

// A row that names an option that does not exist would send users from one error to the next.
void expect_known(const Program& program, const MovedOption& row) {
  std::vector<std::string> words = words_in(row.instead);
  if (words.empty()) {
    EXPECT_NE(row.remark, "") << row.option;
    return;
  }
  if (words.front() == "first" || words.front() == "then") words.erase(words.begin());
  const Command* command = program.find(words.front());
  ASSERT_NE(command, nullptr) << row.instead;
  for (const std::string& word : words) {
    if (word.starts_with('-')) EXPECT_TRUE(has_option(*command, word)) << row.instead << " has an unknown " << word;
  }
}

TEST(MovedOptions, NameOptionsThatExist) {
  const FullProgram full;
  for (const auto rows : {moved_options(), peer_options()}) {
    for (const MovedOption& row : rows) expect_known(full.program, row);
  }
}

TEST(MovedOptions, AreNotThereAnyMore) {
  const FullProgram full;
  for (const MovedOption& row : moved_options()) {
    const Command* command = full.program.find(row.owner);
    ASSERT_NE(command, nullptr) << row.owner;
    EXPECT_FALSE(has_option(*command, words_in(row.option).front())) << row.owner << " " << row.option;
  }
}

std::string answer(std::string_view command, const Texts& words) {
  const auto found = moved_answer(command, words);
  return found ? found->problem + " | " + found->command_line : "none";
}

TEST(MovedOptions, FillInWhatTheUserTyped) {
  const std::string shrink = "shrink has no option ";
  EXPECT_EQ(answer("shrink", {"model.onnx", "--weights", "int8", "-o", "out.onnx"}),
            shrink + "'--weights' | onnxpress quantize model.onnx --to int8 -o out.onnx");
  EXPECT_EQ(answer("shrink", {"--weights=int8", "model.onnx"}),
            shrink + "'--weights' | onnxpress quantize --to int8 model.onnx");
  EXPECT_EQ(answer("shrink", {"m.onnx", "--weights", "auto", "--quality", "40", "--measure"}),
            shrink + "'--weights' | onnxpress quantize m.onnx --to auto --quality 40 --verify");
  EXPECT_EQ(answer("shrink", {"m.onnx", "--weights", "small"}),
            shrink + "'--weights' | onnxpress quantize m.onnx --weight-quality 34");
  EXPECT_EQ(answer("shrink", {"my model.onnx", "--scheme", "int4 block=32"}),
            shrink + "'--scheme' | onnxpress quantize 'my model.onnx' --scheme 'int4 block=32'");
  EXPECT_EQ(answer("shrink", {"m.onnx", "--dynamic", "--dynamic-conv"}),
            shrink + "'--dynamic' | onnxpress quantize m.onnx --activations dynamic --layers conv");
  EXPECT_EQ(answer("shrink", {"m.onnx", "--weights"}), shrink + "'--weights' | onnxpress quantize m.onnx --to X");
  EXPECT_EQ(answer("shrink", {"m.onnx", "--shape", "x=1x3", "--quality", "30"}),
            shrink + "'--quality' | onnxpress quantize m.onnx --shape x=1x3 --quality 30");
}

TEST(MovedOptions, AreAnsweredWithSeveralCommandsIfNeeded) {
  EXPECT_EQ(answer("shrink", {"m.onnx", "--npy", "--extract", "a,b"}),
            "shrink has no option '--npy' | onnxpress tensors m.onnx --as-inputs --names a,b -o inputs.onnx");
  EXPECT_EQ(answer("shrink", {"m.onnx", "-o", "s.onnx", "--compressed"}),
            "shrink has no option '--compressed' | onnxpress shrink m.onnx -o s.onnx && onnxpress info m.onnx s.onnx "
            "--compressed");
  EXPECT_EQ(answer("shrink", {"m.onnx", "--to", "int8", "--npy-names", "scs4onnx"}),
            "shrink has no option '--npy-names': the inputs keep the names of the constants | onnxpress shrink m.onnx "
            "--to int8");
  EXPECT_EQ(answer("optimize", {"m.onnx", "--inputs", "a", "--outputs=b", "-o", "o.onnx"}),
            "optimize has no option '--inputs' | onnxpress extract m.onnx -o part.onnx --inputs a --outputs b && "
            "onnxpress optimize part.onnx -o o.onnx");
  const FullProgram full;
  const auto found =
      moved_answer("edit", {"m.onnx", "--rename", "a=b", "--set-opset", "21", "-o", "o.onnx"}, &full.program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->command_line,
            "onnxpress optimize m.onnx --opset 21 -o o.onnx && onnxpress edit o.onnx --in-place --rename a=b");
}

TEST(MovedOptions, KnowOtherTools) {
  EXPECT_EQ(answer("optimize", {"a.onnx", "b.onnx", "--overwrite-input-shape", "x:1,3,224,224", "y:1,8"}),
            "optimize has no option '--overwrite-input-shape' | onnxpress optimize a.onnx b.onnx --shape x=1x3x224x224 "
            "--shape y=1x8");
  EXPECT_EQ(answer("optimize", {"a.onnx", "--skip-optimization", "p", "q", "--include-subgraph"}),
            "optimize has no option '--skip-optimization' | onnxpress optimize a.onnx --skip p,q");
  EXPECT_EQ(answer("info", {"a.onnx", "--skip-fuse-bn"}), "none");
  EXPECT_EQ(answer("shrink", {"a.onnx", "--tarqet", "any"}), "none");
}

}  // namespace
}  // namespace onnxpress::cli

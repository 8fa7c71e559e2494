// Options that a command does not have: they moved to another name or command, or belong to another tool. Each has a
// row that says what to type instead, so that the error shows the whole new command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

struct MovedOption {
  // The command that lacks it, or the tool that has it.
  std::string_view owner;
  // "--weights X", or "--weights small" for that value only; "--input-shapes NAME:SHAPE..." takes several words.
  std::string_view option;
  // The command line that is meant: "quantize MODEL --to {}", where {} is the value. {shape} is a shape of another tool
  // (x:1,3,224,224) as we write it. In brackets: what to add if the user named no output. "first COMMAND ..." comes
  // before the same command, "then COMMAND ..." after it. Empty: the option is left out.
  std::string_view instead;
  // What there is to say about it: in docs/switching.md, and in the error if there is nothing to type instead.
  std::string_view remark = {};
};

// The options of older versions, and those of other tools. scripts/update_switching makes tables of both.
std::span<const MovedOption> moved_options();
std::span<const MovedOption> peer_options();

struct MovedAnswer {
  std::string problem;       // shrink has no option '--weights'
  std::string command_line;  // onnxpress quantize model.onnx --to int8 -o out.onnx
};

// The answer to a command line in which `command` gets options that have a row: the line that is meant, with everything
// else the user typed. `words` are those after the command's name. If `program` is given, options of its commands are
// not taken for moved ones, and options that only the old command has stay with it. Nothing: no word has a row.
std::optional<MovedAnswer> moved_answer(std::string_view command, const Texts& words, const Program* program = nullptr);

}  // namespace onnxpress::cli

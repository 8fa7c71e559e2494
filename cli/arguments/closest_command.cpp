// The table of commands of onnxsim, OnnxSlim, ONNX Runtime's tools, the onnx package and shells, with ours.
#include "cli/arguments/closest_command.h"

#include <algorithm>

namespace onnxpress::cli {

namespace {

struct Row {
  std::string_view words;  // of other tools, separated by blanks
  std::string_view line;   // the command that is meant, with the options it takes for that
  bool same = true;        // false: no command does exactly that, but this one comes closest
};

// The first row that has the word, and whose command exists, counts, so a row may name a future command.
constexpr Row kRows[] = {
    {"simplify sim onnxsim slim onnxslim optimise optimize optimizer fold fuse", "optimize MODEL"},
    {"simplify sim onnxsim slim onnxslim optimise optimize optimizer fold fuse", "shrink MODEL", false},
    {"compress minify minimize squeeze pack small reduce", "shrink MODEL"},
    {"quantise quant quantization int8 dynamic-quantize", "quantize MODEL --to int8"},
    {"fp16 float16 half to-fp16 convert-float-to-float16", "quantize MODEL --to fp16"},
    {"dedup deduplicate share merge-duplicates", "shrink MODEL --only share"},
    {"prune-names shorten-names strip-names rename", "shrink MODEL --shorten-names"},
    {"decompress unpack dequantize unshrink restore", "expand MODEL -o OUT"},
    {"to-text text print dump cat printer", "convert MODEL - --to text"},
    {"to-json json", "convert MODEL - --to json"},
    {"to-onnx from-text parse copy cp save", "convert IN OUT"},
    {"external-data externalize split-weights to-external", "convert IN OUT --external-data"},
    {"single-file inline-weights merge-weights", "convert IN OUT --single-file"},
    {"strip", "convert IN OUT --strip docs,metadata"},
    {"verify compare-outputs", "verify MODEL OTHER"},
    {"validate verify checker lint valid", "check MODEL"},
    {"shapes shape infer-shapes shape-infer shape-inference symbolic", "infer MODEL"},
    {"show view inspect summary stats describe list ls size", "info MODEL"},
    {"compare cmp", "diff BEFORE AFTER"},
    {"exec execute eval evaluate predict inference", "run MODEL"},
    {"create make new gen", "generate KIND -o OUT"},
    {"version", "--version"},
};

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::optional<ClosestCommand> closest_command(const Program& program, std::string_view word) {
  for (const Row& row : kRows) {
    const std::string_view command = row.line.substr(0, row.line.find(' '));
    if (!has_word(row.words, word) || !(command.starts_with('-') || program.find(command))) continue;
    return ClosestCommand{std::string(row.line), row.same};
  }
  return std::nullopt;
}

}  // namespace onnxpress::cli

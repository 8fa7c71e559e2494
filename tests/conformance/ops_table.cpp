// Prints docs/ops.md: per op and version what we know. With a file as argument it compares instead, and counts
// coverage.
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "onnxpress/ops/core/op.h"

using namespace onnxpress;

namespace {

std::string table() {
  std::string text =
      "# Ops\n\nWhat onnxpress knows, per op and version. Written by `build/tests/ops_table > docs/ops.md`; a test "
      "compares.\n"
      "*infer*: types and symbolic shapes; *evaluate*: it can be computed (`onnxpress run`, constant folding).\n";
  std::string domain = "?";
  for (const ops::Op& op : ops::all_ops()) {
    if (op.schema->domain != domain) {
      domain = op.schema->domain;
      text += fmt::format("\n## {}\n\n| op | since | infer | evaluate |\n|---|---|---|---|\n",
                          domain.empty() ? "ai.onnx" : domain);
    }
    const auto mark = [](bool yes) { return yes ? "yes" : ""; };
    text += fmt::format("| {} | {}{} | {} | {} |\n", op.schema->name, op.schema->since,
                        op.schema->deprecated ? " (deprecated)" : "", mark(op.def && op.def->infer),
                        mark(op.def && op.def->evaluate));
  }
  return text;
}

struct Count {
  std::set<std::string_view> all, infer, evaluate;
};

void print_coverage() {
  std::map<std::string_view, Count> counts;
  for (const ops::Op& op : ops::all_ops()) {
    Count& count = counts[op.schema->domain];
    count.all.insert(op.schema->name);
    if (op.def && op.def->infer) count.infer.insert(op.schema->name);
    if (op.def && op.def->evaluate) count.evaluate.insert(op.schema->name);
  }
  for (const auto& [domain, count] : counts) {
    fmt::print("{}: {} ops, {} inferred, {} evaluated\n", domain.empty() ? "ai.onnx" : domain, count.all.size(),
               count.infer.size(), count.evaluate.size());
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print("{}", table());
    return 0;
  }
  std::ifstream in(arguments[1]);
  const std::string found((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  print_coverage();
  if (found == table()) return 0;
  fmt::print("error: {} is not up to date\nhint: build/dev/tests/ops_table > docs/ops.md\n", arguments[1]);
  return 1;
}

// Checks the inputs and outputs of a node against its op: their number, and that no required one is missing.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

namespace {

struct Counts {
  std::size_t least = 0, most = 0;
  bool is_open = false;  // there is no upper limit
};

Counts counts_of(std::span<const ops::Formal> formals) {
  Counts counts{.most = formals.size()};
  for (std::size_t i = 0; i < formals.size(); ++i) {
    // Optional ones before a variadic one can be omitted only by an empty name, so they count towards the minimum.
    if (!formals[i].optional || formals[i].variadic) counts.least = formals[i].optional ? i : i + 1;
    counts.is_open |= formals[i].variadic;
  }
  return counts;
}

// "2", "2 or 3", "2 to 5", "at least 1"
std::string in_words(const Counts& counts) {
  if (counts.is_open) return fmt::format("at least {}", counts.least);
  if (counts.least == counts.most) return counts.most == 0 ? "none" : fmt::format("{}", counts.most);
  return fmt::format("{} {} {}", counts.least, counts.most == counts.least + 1 ? "or" : "to", counts.most);
}

class OperandChecker {
 public:
  OperandChecker(const AppliedOp& op, FindingList& found) : op_(op), found_(found) {}

  // `has(i)` says whether the input or output at position i is present.
  template <typename Has>
  void check(std::string_view what, std::size_t given, std::span<const ops::Formal> formals, const Has& has) {
    const Counts counts = counts_of(formals);
    if (given < counts.least || (given > counts.most && !counts.is_open)) {
      add(what == "input" ? "input-count" : "output-count",
          fmt::format("has {}, but {} {} {}", counted(given, what), op_.schema.name,
                      what == "input" ? "takes" : "returns", in_words(counts)));
      return;
    }
    for (std::size_t i = 0; i < given; ++i) {
      const ops::Formal& formal = formals[std::min(i, formals.size() - 1)];
      if (has(i) || formal.optional || formal.mixed || (formal.variadic && what == "output")) continue;
      add(what == "input" ? "missing-input" : "missing-output",
          fmt::format("{} {} ({}) is missing, but {} needs it", what, i, quote_name(formal.name), op_.schema.name));
    }
  }

 private:
  void add(std::string_view code, std::string message) { found_.add(op_.severity, code, op_.node, std::move(message)); }

  const AppliedOp& op_;
  FindingList& found_;
};

}  // namespace

void check_operands(const AppliedOp& op, FindingList& found) {
  OperandChecker checker(op, found);
  const Node& node = op.node;
  if (node.input_count() == 0 && node.output_count() == 0) return;  // check_nodes() reports it
  checker.check("input", node.input_count(), op.schema.operands,
                [&](std::size_t i) { return node.input(i) != nullptr; });
  checker.check("output", node.output_count(), op.schema.results,
                [&](std::size_t i) { return node.output(i) != nullptr; });
}

}  // namespace onnxpress::analysis

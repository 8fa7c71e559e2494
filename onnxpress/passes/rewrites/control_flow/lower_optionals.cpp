// Replaces optional values that are known to be present or absent.
//
//   before: y = OptionalGetElement(Optional(x)); h = OptionalHasElement(Optional(x))
//   after:  readers of y read x; h is true
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_lower_optionals(Node& node, Rewriter& rw) {
  const bool asks = node.is("OptionalHasElement");
  const Value* operand = node.input(0);
  if (!operand) return asks && rw.replace(node, rw.scalar(ElementType::kBool, 0));
  // Newer versions also accept plain tensors and sequences, which are always present.
  const auto kind = rw.fact(operand).kind;
  const bool is_there = kind == ops::Fact::Kind::kTensor || kind == ops::Fact::Kind::kSequence;
  const Node* made = rw.producer(operand, "Optional");
  if (!made && !is_there) return false;
  if (asks) return rw.replace(node, rw.scalar(ElementType::kBool, is_there || made->input(0) ? 1 : 0));
  return rw.replace(node, is_there ? node.input(0) : made->input(0));
}

constexpr std::string_view kLowerOptionalsRoots[] = {"OptionalGetElement", "OptionalHasElement"};

}  // namespace

extern const Rewrite lower_optionals;
const Rewrite lower_optionals = {.name = "lower-optionals",
                                 .summary = "replaces optional values that are known to be present or absent",
                                 .exactness = Exactness::kExact,
                                 .group = "control_flow",
                                 .roots = kLowerOptionalsRoots,
                                 .apply = apply_lower_optionals};

}  // namespace onnxpress::passes

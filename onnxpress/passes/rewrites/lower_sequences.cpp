// Replaces sequences whose tensors are known one by one.
//
//   before: y = SequenceAt(SequenceConstruct(a, b, c), 1)   or ConcatFromSequence, SequenceLength, SequenceInsert
//   after:  whoever read y reads b
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// The tensors of a sequence, if a node puts them together by name.
std::optional<std::vector<Value*>> parts_of(const Value* sequence, const Rewriter& rw) {
  std::vector<Value*> parts;
  if (rw.producer(sequence, "SequenceEmpty")) return parts;
  const Node* made = rw.producer(sequence, "SequenceConstruct");
  if (!made) return std::nullopt;
  for (const Use& use : made->inputs()) parts.push_back(use.value());
  return parts;
}

// Where a constant position points to among so many; nullopt when it is out of range.
std::optional<std::size_t> place(const Value* position, std::size_t count, const Rewriter& rw) {
  const auto array = rw.is_constant(position) ? rw.constant(position) : std::nullopt;
  const auto list = array ? array->integers() : std::nullopt;
  return list && list->size() == 1 ? ops::normal_axis(list->front(), count) : std::nullopt;
}

bool concat(Node& node, std::vector<Value*> parts, Rewriter& rw) {
  const auto params = rw.params(node);
  const auto axis = params.integer("axis");
  if (!axis || parts.empty()) return false;
  if (params.flag("new_axis")) {
    for (Value*& part : parts) part = rw.make("Unsqueeze", {part}, {{"axes", std::vector<std::int64_t>{*axis}}});
  }
  const Parameter parameters[] = {{"axis", *axis}};
  return rw.replace(node, parts.size() == 1 ? parts.front() : rw.make("Concat", parts, parameters));
}

bool apply_lower_sequences(Node& node, Rewriter& rw) {
  auto parts = parts_of(node.input(0), rw);
  if (!parts) return false;
  if (node.is("ConcatFromSequence")) return concat(node, *parts, rw);
  if (node.is("SequenceLength"))
    return rw.replace(node, rw.scalar(ElementType::kInt64, static_cast<double>(parts->size())));
  if (node.is("SequenceAt")) {
    const auto at = place(node.input(1), parts->size(), rw);
    return at && rw.replace(node, (*parts)[*at]);
  }
  // SequenceInsert: at the end where no position is given.
  const auto at = node.input(2) ? place(node.input(2), parts->size() + 1, rw) : parts->size();
  if (!at || !node.input(1) || !rw.sole_producer(node.input(0), node.input(0)->producer()->op_type())) return false;
  parts->insert(parts->begin() + static_cast<std::ptrdiff_t>(*at), node.input(1));
  return rw.replace(node, rw.make("SequenceConstruct", *parts));
}

constexpr std::string_view kLowerSequencesRoots[] = {"SequenceAt", "SequenceLength", "ConcatFromSequence",
                                                     "SequenceInsert"};

}  // namespace

extern const Rewrite lower_sequences;
const Rewrite lower_sequences = {.name = "lower-sequences",
                                 .summary = "replaces sequences whose tensors are known one by one",
                                 .exactness = Exactness::kExact,
                                 .group = "control flow",
                                 .roots = kLowerSequencesRoots,
                                 .apply = apply_lower_sequences};

}  // namespace onnxpress::passes

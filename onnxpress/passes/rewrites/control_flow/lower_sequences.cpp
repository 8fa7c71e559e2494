// Replaces sequences by their tensors, if these are known.
//
//   before: y = SequenceAt(SequenceConstruct(a, b, c), 1)   or ConcatFromSequence, SequenceLength, SequenceInsert
//   after:  readers of y read b
//
// A SplitToSequence into parts of known sizes becomes a Split if all readers take its tensors one by one.
#include <algorithm>
#include <numeric>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// The tensors of a sequence, if a SequenceConstruct or SequenceEmpty makes it.
std::optional<std::vector<Value*>> parts_of(const Value* sequence, const Rewriter& rw) {
  std::vector<Value*> parts;
  if (rw.producer(sequence, "SequenceEmpty")) return parts;
  const Node* made = rw.producer(sequence, "SequenceConstruct");
  if (!made) return std::nullopt;
  for (const Use& use : made->inputs()) parts.push_back(use.value());
  return parts;
}

// A constant position in a sequence of `count` tensors; nullopt when it is not known or out of range.
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

constexpr std::int64_t kMostSequenceParts = 64;

// The sizes of the parts that SplitToSequence makes; nullopt when they are not known or too many.
std::optional<std::vector<std::int64_t>> part_sizes(const Node& node, std::int64_t size, const Rewriter& rw) {
  std::int64_t each = 1;
  if (node.input(1)) {
    const auto array = rw.is_constant(node.input(1)) ? rw.constant(node.input(1)) : std::nullopt;
    auto list = array ? array->integers() : std::nullopt;
    if (!list) return std::nullopt;
    if (list->size() > static_cast<std::size_t>(kMostSequenceParts)) {
      rw.refuse("the sequence has {} parts; at most {} become a Split", list->size(), kMostSequenceParts);
      return std::nullopt;
    }
    if (array->rank() > 0) return list;
    each = list->front();
  }
  if (each > 0 && (size - 1) / each >= kMostSequenceParts)
    rw.refuse("the sequence has {} parts; at most {} become a Split", (size - 1) / each + 1, kMostSequenceParts);
  if (each <= 0 || (size - 1) / each >= kMostSequenceParts) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = size; left > 0; left -= each) sizes.push_back(std::min(each, left));
  return sizes;
}

// Whether all readers of the sequence can be lowered once its tensors are known.
bool is_taken_apart(const Value& sequence, std::size_t parts, const Rewriter& rw) {
  for (const Use* use = sequence.first_use(); use; use = use->next()) {
    const Node& user = *use->user();
    const bool lowers = rw.is(user, "SequenceLength") || rw.is(user, "ConcatFromSequence") ||
                        (rw.is(user, "SequenceAt") && place(user.input(1), parts, rw));
    if (!lowers) return false;
  }
  return !sequence.is_output();
}

// Makes a Split and a SequenceConstruct of its parts, which vanishes when the readers are lowered.
bool split_first(Node& node, Rewriter& rw) {
  const auto params = rw.params(node);
  const auto shape = rw.shape_of(node.input(0));
  const auto axis = shape ? ops::normal_axis(params.integer_or("axis", 0), shape->size()) : std::nullopt;
  const auto size = axis ? (*shape)[*axis].size() : std::nullopt;
  const auto sizes = size && *size > 0 ? part_sizes(node, *size, rw) : std::nullopt;
  if (!sizes || sizes->size() < 2 || !is_taken_apart(*node.output(), sizes->size(), rw)) return false;
  if (std::accumulate(sizes->begin(), sizes->end(), std::int64_t{0}) != *size) return false;
  const auto at = static_cast<std::int64_t>(*axis);
  const Parameter parameters[] = {{"axis", at}, {"split", *sizes}};
  Value* const x[] = {node.input(0)};
  const Node* split = rw.make_node("Split", x, parameters, sizes->size());
  if (!split) return false;
  const bool drops_axis = !node.input(1) && params.integer_or("keepdims", 1) == 0;
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    Value* part = split->output(i);
    parts.push_back(drops_axis ? rw.make("Squeeze", {part}, {{"axes", std::vector<std::int64_t>{at}}}) : part);
  }
  return rw.replace(node, rw.make("SequenceConstruct", parts));
}

bool apply_lower_sequences(Node& node, Rewriter& rw) {
  if (node.is("SplitToSequence")) return split_first(node, rw);
  auto parts = parts_of(node.input(0), rw);
  if (!parts) return false;
  if (node.is("ConcatFromSequence")) return concat(node, *parts, rw);
  if (node.is("SequenceLength"))
    return rw.replace(node, rw.scalar(ElementType::kInt64, static_cast<double>(parts->size())));
  if (node.is("SequenceAt")) {
    const auto at = place(node.input(1), parts->size(), rw);
    return at && rw.replace(node, (*parts)[*at]);
  }
  // SequenceInsert: inserts at the end if no position is given.
  const auto at = node.input(2) ? place(node.input(2), parts->size() + 1, rw) : parts->size();
  if (!at || !node.input(1) || !rw.sole_producer(node.input(0), node.input(0)->producer()->op_type())) return false;
  parts->insert(parts->begin() + static_cast<std::ptrdiff_t>(*at), node.input(1));
  return rw.replace(node, rw.make("SequenceConstruct", *parts));
}

constexpr std::string_view kLowerSequencesRoots[] = {"SequenceAt", "SequenceLength", "ConcatFromSequence",
                                                     "SequenceInsert", "SplitToSequence"};

}  // namespace

extern const Rewrite lower_sequences;
const Rewrite lower_sequences = {.name = "lower-sequences",
                                 .summary = "replaces sequences by their tensors, if these are known",
                                 .exactness = Exactness::kExact,
                                 .group = "control_flow",
                                 .roots = kLowerSequencesRoots,
                                 .apply = apply_lower_sequences};

}  // namespace onnxpress::passes

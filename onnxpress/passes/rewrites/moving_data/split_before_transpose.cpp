// Splits axes before a Transpose instead of after it, where a Reshape is already.
//
//   before: y = Reshape(Transpose(Reshape(x, [6, 5, 4]), perm = [0, 2, 1]), [2, 3, 4, 5])
//   after:  y = Transpose(Reshape(x, [2, 3, 5, 4]), perm = [0, 1, 3, 2])
//
// torch.export writes the keys of attention like this; there, the Reshape that is left does nothing. The last Reshape
// must only split axes, and nothing else may read the values in between.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/permutation.h"
#include "onnxpress/passes/shared/view_dims.h"

namespace onnxpress::passes {

namespace {

// For each axis of `whole`, the number of consecutive axes of `parts` that it is split into; nullopt if `parts` is not
// made by splitting axes alone.
std::optional<std::vector<std::size_t>> split_counts(const ops::Shape& whole, const ops::Shape& parts,
                                                     ops::DimMath& math) {
  std::vector<std::size_t> counts;
  std::size_t next = 0;
  for (const Dim dim : whole) {
    if (next == parts.size()) return std::nullopt;
    const std::size_t first = next;
    Dim product = parts[next++];
    while (!math.equal(product, dim) && next < parts.size()) product = math.mul(product, parts[next++]);
    if (!math.equal(product, dim)) return std::nullopt;
    counts.push_back(next - first);
  }
  for (; next < parts.size() && !counts.empty(); ++next, ++counts.back()) {
    if (parts[next].size() != 1) return std::nullopt;
  }
  return counts;
}

bool apply_split_before_transpose(Node& last, Rewriter& rw) {
  const Node* transpose = rw.sole_producer(last.input(0), "Transpose");
  const Node* first = transpose ? rw.sole_producer(transpose->input(0), "Reshape") : nullptr;
  const auto perm = first ? perm_of(*transpose, rw) : std::nullopt;
  const auto moved = rw.shape_of(last.input(0)), parts = rw.shape_of(last.output());
  if (!perm || !moved || !parts || moved->size() != perm->size() || parts->size() <= moved->size()) return false;
  const auto counts = split_counts(*moved, *parts, rw.dims());
  if (!counts) return false;
  std::vector<std::size_t> from(perm->size());  // where the parts of each axis begin, by axis of the first Reshape
  std::vector<std::size_t> begins(perm->size());
  for (std::size_t i = 0, begin = 0; i < perm->size(); begin += (*counts)[i++]) {
    from[static_cast<std::size_t>((*perm)[i])] = i;
    begins[i] = begin;
  }
  ops::Shape split;
  Permutation order(parts->size());
  for (const std::size_t i : from) {
    for (std::size_t part = begins[i]; part < begins[i] + (*counts)[i]; ++part) {
      order[part] = static_cast<std::int64_t>(split.size());
      split.push_back((*parts)[part]);
    }
  }
  const auto dims = view_dims(rw.shape_of(first->input(0)), split, rw);
  return dims && rw.replace(last, rw.make("Transpose", {rw.reshaped(first->input(0), *dims)}, {{"perm", order}}));
}

constexpr std::string_view kSplitBeforeTransposeRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite split_before_transpose;
const Rewrite split_before_transpose = {.name = "split-before-transpose",
                                        .summary = "splits axes before a Transpose instead of after it",
                                        .exactness = Exactness::kExact,
                                        .group = "moving_data",
                                        .large_pattern = true,
                                        .roots = kSplitBeforeTransposeRoots,
                                        .apply = apply_split_before_transpose};

}  // namespace onnxpress::passes

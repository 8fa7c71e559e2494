// Drops what gives a value another shape just before a Reshape: only the last shape counts.
//
//   before: y = Reshape(Reshape(x, s), [2, -1])   or of Flatten, Squeeze, Unsqueeze
//   after:  y = Reshape(x, [2, -1])
//
// Not where the shape has a 0, which copies a dim of the operand, nor where it is not known.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply(Node& reshape, Rewriter& rw) {
  Node* first = nullptr;
  for (const std::string_view op : {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}) {
    if (!first) first = rw.producer(reshape.input(0), op);
  }
  const auto params = rw.params(reshape);
  const auto shape = params.integers("shape");
  if (!first || !shape) return false;
  if (params.flag("allowzero")) return false;
  std::vector<std::int64_t> dims = *shape;
  const auto to = rw.shape_of(reshape.output());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 0) continue;
    const auto size = to && i < to->size() ? (*to)[i].size() : std::nullopt;
    if (!size || *size == 0) return false;
    dims[i] = *size;  // what would be copied is known
  }
  return rw.replace(reshape, dims == *shape ? rw.make("Reshape", {first->input(0), reshape.input(1)})
                                            : rw.reshaped(first->input(0), dims));
}

constexpr std::string_view kRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite merge_reshapes;
const Rewrite merge_reshapes = {.name = "merge-reshapes",
                                .summary = "drops a Reshape, Flatten, Squeeze or Unsqueeze before a Reshape",
                                .exactness = Exactness::kExact,
                                .group = "clean-up",
                                .roots = kRoots,
                                .apply = apply};

}  // namespace onnxpress::passes

// The table of contents: every rewrite, in the order in which they are tried at a node. Each has a file of its name in
// rewrites/.
#include <algorithm>
#include <array>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/whole_graph.h"

namespace onnxpress::passes {

// folding
extern const Rewrite fold_constants;
extern const Rewrite fold_reshape_shape;
extern const Rewrite fold_expand_shape;
extern const Rewrite fold_slice_ends;
extern const Rewrite remove_cast_before_shape;
// control flow
extern const Rewrite inline_if;
// clean-up
extern const Rewrite remove_identity;
extern const Rewrite merge_transposes;
extern const Rewrite remove_cast;
extern const Rewrite remove_dropout;
extern const Rewrite remove_pad;
extern const Rewrite remove_concat;
extern const Rewrite remove_split;
extern const Rewrite remove_reshape;
extern const Rewrite remove_transpose;
extern const Rewrite remove_slice;
extern const Rewrite remove_resize;
extern const Rewrite remove_unit_arithmetic;
extern const Rewrite remove_idempotent;
extern const Rewrite remove_double_negation;
extern const Rewrite remove_where;
extern const Rewrite move_not_into_where;
extern const Rewrite remove_clip;
extern const Rewrite merge_casts;
extern const Rewrite merge_reshapes;
extern const Rewrite merge_squeezes;
extern const Rewrite merge_unsqueezes;
extern const Rewrite merge_concats;
extern const Rewrite merge_reduce_views;
// fusion
extern const Rewrite fuse_conv_batchnorm;
extern const Rewrite fuse_log_softmax;
extern const Rewrite fuse_conv_add;
extern const Rewrite fuse_conv_mul;
extern const Rewrite fuse_pad_conv;
extern const Rewrite fuse_matmul_add;
extern const Rewrite fuse_gemm_transpose;

std::span<const Rewrite* const> all_rewrites() {
  static constexpr std::array kRewrites = {
      &fold_constants,
      &fold_reshape_shape,
      &fold_expand_shape,
      &fold_slice_ends,
      &remove_cast_before_shape,
      &inline_if,
      &remove_identity,
      &merge_transposes,
      &remove_cast,
      &remove_dropout,
      &remove_pad,
      &remove_concat,
      &remove_split,
      &remove_reshape,
      &remove_transpose,
      &remove_slice,
      &remove_resize,
      &remove_unit_arithmetic,
      &remove_idempotent,
      &remove_double_negation,
      &remove_where,
      &move_not_into_where,
      &remove_clip,
      &merge_casts,
      &merge_reshapes,
      &merge_squeezes,
      &merge_unsqueezes,
      &merge_concats,
      &merge_reduce_views,
      &fuse_conv_batchnorm,
      &fuse_log_softmax,
      &fuse_conv_add,
      &fuse_conv_mul,
      &fuse_pad_conv,
      &fuse_matmul_add,
      &fuse_gemm_transpose,
  };
  return kRewrites;
}

// whole-graph passes
extern const WholeGraphPass merge_equal_nodes;

std::span<const WholeGraphPass* const> all_whole_graph_passes() {
  static constexpr std::array kPasses = {
      &merge_equal_nodes,
  };
  return kPasses;
}

const Rewrite* find_rewrite(std::string_view name) {
  const auto all = all_rewrites();
  const auto found = std::ranges::find(all, name, &Rewrite::name);
  return found == all.end() ? nullptr : *found;
}

std::string_view name_of(Exactness exactness) {
  switch (exactness) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kReassociates:
      return "reassociates";
    case Exactness::kApproximate:
      break;
  }
  return "approximate";
}

}  // namespace onnxpress::passes

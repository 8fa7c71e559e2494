// The table of contents: every rewrite, in the order in which they are tried at a node, and every whole-graph pass.
// Each rewrite has a file of its name in rewrites/GROUP/; scripts/new_pass adds one.
#include <algorithm>
#include <array>

#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/whole_graph.h"

namespace onnxpress::passes {

// clang-format off
#define FOR_EACH_REWRITE(entry) \
  /* constants and shapes, and less data to move */ \
  entry(fold_constants) \
  entry(fold_reshape_shape) \
  entry(fold_expand_shape) \
  entry(fold_slice_ends) \
  entry(remove_expand) \
  entry(merge_shape_parts) \
  entry(read_dims_earlier) \
  entry(slice_before_concat) \
  entry(slice_before_pad) \
  entry(gather_before_concat) \
  entry(slice_instead_of_gather) \
  entry(gather_instead_of_gather_nd) \
  entry(merge_split_concat) \
  entry(split_slices) \
  entry(pad_instead_of_concat) \
  entry(reduce_before_transpose) \
  entry(sink_transposes) \
  entry(split_before_transpose) \
  entry(remove_cast_before_shape) \
  entry(move_dequantization) \
  entry(move_quantization) \
  /* control flow */ \
  entry(inline_if) \
  entry(drop_impossible_branch) \
  entry(unroll_loop) \
  entry(unroll_scan) \
  entry(drop_carried_values) \
  entry(drop_unused_results) \
  entry(hoist_invariants) \
  entry(lower_sequences) \
  entry(lower_optionals) \
  /* what does nothing, and what becomes one node */ \
  entry(remove_identity) \
  entry(merge_transposes) \
  entry(remove_cast) \
  entry(remove_dropout) \
  entry(remove_pad) \
  entry(remove_concat) \
  entry(remove_split) \
  entry(remove_reshape) \
  entry(remove_transpose) \
  entry(remove_slice) \
  entry(remove_resize) \
  entry(remove_unit_arithmetic) \
  entry(remove_idempotent) \
  entry(remove_double_negation) \
  entry(remove_where) \
  entry(remove_nan_guard) \
  entry(remove_gather) \
  entry(remove_scatter) \
  entry(remove_zero_bias) \
  entry(move_not_into_where) \
  entry(remove_clip) \
  entry(remove_quantized_clip) \
  entry(merge_clips) \
  entry(merge_min_max) \
  entry(merge_casts) \
  entry(convert_cast_like) \
  entry(merge_constant_cast) \
  entry(merge_reshapes) \
  entry(merge_squeezes) \
  entry(merge_unsqueezes) \
  entry(merge_label_encoders) \
  entry(merge_concats) \
  entry(merge_reduce_views) \
  entry(merge_reductions) \
  entry(merge_gather_views) \
  entry(merge_matmul_scales) \
  entry(merge_views) \
  entry(merge_views_around) \
  entry(merge_slices) \
  entry(merge_pads) \
  entry(merge_pools) \
  entry(merge_constants) \
  entry(merge_quantization) \
  entry(drop_zero_states) \
  /* larger patterns */ \
  entry(fuse_gelu) \
  entry(fuse_layer_norm) \
  entry(fuse_layer_norm_bias) \
  entry(fuse_rms_norm) \
  entry(fuse_reciprocal) \
  entry(fuse_hard_sigmoid) \
  entry(fuse_hard_swish) \
  entry(fuse_swish) \
  entry(fuse_mish) \
  entry(fuse_softmax) \
  entry(fuse_rotary_embedding) \
  entry(fuse_partial_rotary) \
  entry(fuse_attention) \
  entry(merge_attention_repeats) \
  entry(merge_attention_cache) \
  entry(fuse_log_softmax) \
  entry(fuse_depth_to_space) \
  entry(fuse_space_to_depth) \
  entry(convert_einsum) \
  entry(merge_matmul_views) \
  entry(fuse_conv_batchnorm) \
  entry(fuse_gemm_batchnorm) \
  entry(fuse_matmul_batchnorm) \
  entry(fuse_conv_add) \
  entry(fuse_conv_mul) \
  entry(fuse_input_conv) \
  entry(fuse_pad_conv) \
  entry(fuse_pad_pool) \
  entry(fuse_matmul_add) \
  entry(fuse_gemm_mul) \
  entry(fuse_gemm_transpose) \
  /* approximations, which are never on by default */ \
  entry(approximate_gelu) \
  entry(argmax_before_softmax) \
  entry(remove_rounding_casts) \
  /* only on request: the standard has an operator for it, but ONNX Runtime is slower with it */ \
  entry(fuse_group_norm)

#define FOR_EACH_WHOLE_GRAPH_PASS(entry) \
  entry(merge_equal_nodes) \
  entry(share_branches)

/* Whole regions come first, because their parts have fusions of their own. */
#define FOR_EACH_ORT_REGION(entry) \
  entry(ort_rotary_embedding) \
  entry(ort_group_query_attention) \
  entry(ort_multi_head_attention)

#define FOR_EACH_ORT_REWRITE(entry) \
  FOR_EACH_ORT_REGION(entry) \
  entry(ort_matmul_nbits) \
  entry(ort_gelu) \
  entry(ort_bias_gelu) \
  entry(ort_quick_gelu) \
  entry(ort_skip_layer_norm) \
  entry(ort_skip_rms_norm) \
  entry(ort_skip_every_norm) \
  entry(ort_attention_scale) \
  entry(ort_attention_cache) \
  entry(ort_packed_query) \
  entry(ort_packed_attention) \
  entry(ort_matmul_integer) \
  entry(ort_fused_matmul) \
  entry(ort_fused_conv)
// clang-format on

#define DECLARE_REWRITE(name) extern const Rewrite name;
#define DECLARE_PASS(name) extern const WholeGraphPass name;
#define ADDRESS(name) &(name),
FOR_EACH_REWRITE(DECLARE_REWRITE)
FOR_EACH_WHOLE_GRAPH_PASS(DECLARE_PASS)
FOR_EACH_ORT_REWRITE(DECLARE_REWRITE)

std::span<const Rewrite* const> all_rewrites() {
  static constexpr std::array kRewrites = {FOR_EACH_REWRITE(ADDRESS)};
  return kRewrites;
}

std::span<const WholeGraphPass* const> all_whole_graph_passes() {
  static constexpr std::array kPasses = {FOR_EACH_WHOLE_GRAPH_PASS(ADDRESS)};
  return kPasses;
}

std::span<const Rewrite* const> ort_rewrites() {
  static constexpr std::array kRewrites = {FOR_EACH_ORT_REWRITE(ADDRESS)};
  return kRewrites;
}

std::span<const Rewrite* const> rewrites_with_ort_regions() {
  static constexpr std::array kRewrites = {FOR_EACH_REWRITE(ADDRESS) FOR_EACH_ORT_REGION(ADDRESS)};
  return kRewrites;
}

std::span<const Rewrite* const> rewrites_with_ort() {
  static constexpr std::array kRewrites = {FOR_EACH_REWRITE(ADDRESS) FOR_EACH_ORT_REWRITE(ADDRESS)};
  return kRewrites;
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

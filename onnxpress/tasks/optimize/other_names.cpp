// The passes of onnxoptimizer 0.4.2 (which onnxsim uses, too) and of OnnxSlim 0.1.98, sorted by name.
#include "onnxpress/tasks/optimize/other_names.h"

#include <algorithm>

namespace onnxpress {

namespace {

constexpr std::string_view kAlways = "optimize always does this";
constexpr std::string_view kNever = "optimize does not do this: see docs/switching.md";

constexpr OtherName kNames[] = {
    {"adjust_add", "", "operands of an Add match in either order"},
    {"adjust_slice_and_matmul", "", kNever},
    {"eliminate_common_subexpression", "merge-equal-nodes", ""},
    {"eliminate_consecutive_idempotent_ops", "remove-idempotent merge-reshapes", ""},
    {"eliminate_deadend", "", kAlways},
    {"eliminate_duplicate_initializer", "share-tensors", ""},
    {"eliminate_identity", "remove-identity", ""},
    {"eliminate_if_with_const_cond", "inline-if", ""},
    {"eliminate_nop_cast", "remove-cast merge-casts", ""},
    {"eliminate_nop_concat", "remove-concat", ""},
    {"eliminate_nop_dropout", "remove-dropout", ""},
    {"eliminate_nop_expand", "remove-expand remove-reshape fold-expand-shape", ""},
    {"eliminate_nop_flatten", "remove-reshape remove-flatten", ""},
    {"eliminate_nop_monotone_argmax", "", kNever},
    {"eliminate_nop_pad", "remove-pad", ""},
    {"eliminate_nop_reshape", "remove-reshape", ""},
    {"eliminate_nop_split", "remove-split", ""},
    {"eliminate_nop_transpose", "remove-transpose", ""},
    {"eliminate_nop_with_unit", "remove-unit-arithmetic", ""},
    {"eliminate_shape_gather", "fold-constants", ""},
    {"eliminate_shape_op", "fold-constants", ""},
    {"eliminate_slice_after_shape", "fold-constants", ""},
    {"eliminate_unused_initializer", "", kAlways},
    {"extract_constant_to_initializer", "lift-constants", ""},
    {"fuse_add_bias_into_conv", "fuse-conv-add", ""},
    {"fuse_bn_into_conv", "fuse-conv-batchnorm", ""},
    {"fuse_concat_into_reshape", "fold-reshape-shape", ""},
    {"fuse_consecutive_concats", "merge-concats", ""},
    {"fuse_consecutive_log_softmax", "fuse-log-softmax", ""},
    {"fuse_consecutive_reduce_unsqueeze", "merge-reduce-views", ""},
    {"fuse_consecutive_slices", "merge-slices", ""},
    {"fuse_consecutive_squeeze_unsqueeze", "merge-squeezes", ""},
    {"fuse_consecutive_squeezes", "merge-squeezes", ""},
    {"fuse_consecutive_transposes", "merge-transposes", ""},
    {"fuse_consecutive_unsqueezes", "merge-unsqueezes", ""},
    {"fuse_matmul_add_bias_into_gemm", "fuse-matmul-add", ""},
    {"fuse_pad_into_conv", "fuse-pad-conv", ""},
    {"fuse_pad_into_pool", "fuse-pad-pool", ""},
    {"fuse_qkv", "", kNever},
    {"fuse_transpose_into_gemm", "fuse-gemm-transpose", ""},
    {"lift_lexical_references", "", kNever},
    {"nop", "", "it does nothing"},
    {"rename_input_output", "", kNever},
    {"replace_einsum_with_matmul", "convert-einsum", ""},
    {"rewrite_input_dtype", "", kNever},
    {"rewrite_where", "move-not-into-where", ""},
    {"set_unique_name_for_nodes", "", kNever},
    {"split_init", "", kNever},
    {"split_predict", "", kNever},
    // OnnxSlim: --skip-optimizations and --skip-fusion-patterns
    {"constant_folding", "fold-constants", ""},
    {"dead_node_elimination", "", kAlways},
    {"subexpression_elimination", "merge-equal-nodes", ""},
    {"weight_tying", "", "option `shrink` does this"},
    {"EliminationConcat", "merge-concats", ""},
    {"EliminationReshape", "merge-reshapes remove-reshape", ""},
    {"EliminationReshapeAs", "fold-reshape-shape", ""},
    {"EliminationSlice", "merge-slices remove-slice", ""},
    {"EliminationTranspose", "merge-transposes", ""},
    {"EliminationTransposeAsReshape", "remove-transpose", ""},
    {"EliminationTransposeViewTranspose", "sink-transposes", ""},
    {"EliminationUnsqueeze", "merge-unsqueezes", ""},
    {"FusionConcatReshape", "fold-reshape-shape", ""},
    {"FusionConvAdd", "fuse-conv-add", ""},
    {"FusionConvBN", "fuse-conv-batchnorm", ""},
    {"FusionConvMul", "fuse-conv-mul", ""},
    {"FusionConvTransposeAdd", "fuse-conv-add", ""},
    {"FusionConvTransposeBN", "fuse-conv-batchnorm", ""},
    {"FusionConvTransposeMul", "fuse-conv-mul", ""},
    {"FusionGemm", "fuse-matmul-add", ""},
    {"FusionGemmAdd", "fuse-gemm-add", ""},
    {"FusionGemmMul", "fuse-gemm-mul", ""},
    {"FusionPadConv", "fuse-pad-conv", ""},
    {"FusionReduce", "merge-reduce-views", ""},
};

}  // namespace

std::span<const OtherName> other_names() { return kNames; }

const OtherName* find_other_name(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &OtherName::name);
  return found == std::end(kNames) ? nullptr : found;
}

std::vector<std::string_view> names_meant(const OtherName& other) {
  std::vector<std::string_view> names;
  for (std::string_view rest = other.ours; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    names.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

}  // namespace onnxpress

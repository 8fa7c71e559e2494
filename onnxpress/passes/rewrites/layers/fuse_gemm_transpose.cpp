// Merges Transposes into the Gemm that reads them.
//
//   before: y = Gemm(Transpose(a), b)
//   after:  y = Gemm(a, b, transA = 1)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_gemm_transpose(Node& gemm, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    Node* transpose = rw.producer(gemm.input(side), "Transpose");
    if (!transpose) continue;
    const auto perm = rw.params(*transpose).integers("perm");
    const auto shape = rw.shape_of(transpose->input(0));
    if (perm ? *perm != std::vector<std::int64_t>{1, 0} : !shape || shape->size() != 2) continue;
    const std::string_view flag = side == 0 ? "transA" : "transB";
    const std::int64_t turned = rw.params(gemm).flag(flag) ? 0 : 1;
    if (!rw.set_input(gemm, side, transpose->input(0))) continue;
    rw.set_parameter(gemm, {flag, turned});
    return true;
  }
  return false;
}

constexpr std::string_view kFuseGemmTransposeRoots[] = {"Gemm"};

}  // namespace

extern const Rewrite fuse_gemm_transpose;
const Rewrite fuse_gemm_transpose = {.name = "fuse-gemm-transpose",
                                     .summary = "merges Transposes into the Gemm that reads them",
                                     .exactness = Exactness::kReassociates,
                                     .group = "layers",
                                     .large_pattern = true,
                                     .roots = kFuseGemmTransposeRoots,
                                     .apply = apply_fuse_gemm_transpose};

}  // namespace onnxpress::passes

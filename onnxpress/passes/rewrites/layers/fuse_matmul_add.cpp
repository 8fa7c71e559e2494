// Fuses a matrix product and an Add into Gemm.
//
//   before: y = Add(MatMul(a, b), c)   with a and b of two dims; or of a Gemm that adds nothing yet
//   after:  y = Gemm(a, b, c)
//
// Floats only. c has at most two dims and broadcasts to the product, not the other way round. The Add of a HardSigmoid
// stays there.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/activations.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_matmul_add(Node& add, Rewriter& rw) {
  if (!add.attributes().empty() || begins_activation(add, rw)) return false;  // attributes: old broadcasting rules
  for (const std::size_t side : {0, 1}) {
    const Node* product = rw.sole_producer(add.input(side), "MatMul");
    if (!product) product = rw.sole_producer(add.input(side), "Gemm");
    if (!product || product->input(2)) continue;
    Value *a = product->input(0), *b = product->input(1), *c = add.input(1 - side);
    const auto left = rw.shape_of(a), right = rw.shape_of(b), bias = rw.shape_of(c);
    if (!left || !right || !bias || left->size() != 2 || right->size() != 2 || bias->size() > 2) continue;
    if (!is_float(rw.element_of(a)) || !rw.same_shape(product->output(), add.output())) continue;
    const auto params = rw.params(*product);
    return rw.replace(add, product->is("MatMul") ? rw.make("Gemm", {a, b, c})
                                                 : rw.make("Gemm", {a, b, c},
                                                           {{"alpha", params.real_or("alpha", 1)},
                                                            {"transA", params.integer_or("transA", 0)},
                                                            {"transB", params.integer_or("transB", 0)}}));
  }
  return false;
}

constexpr std::string_view kFuseMatmulAddRoots[] = {"Add"};

}  // namespace

extern const Rewrite fuse_matmul_add;
const Rewrite fuse_matmul_add = {.name = "fuse-matmul-add",
                                 .summary = "fuses MatMul and Add of matrices into Gemm",
                                 .exactness = Exactness::kReassociates,
                                 .group = "layers",
                                 .large_pattern = true,
                                 .roots = kFuseMatmulAddRoots,
                                 .apply = apply_fuse_matmul_add};

}  // namespace onnxpress::passes

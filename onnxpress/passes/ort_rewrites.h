// Rewrites to ONNX Runtime's own operators (com.microsoft), whose CPU kernels are faster than the standard ones. Only
// for models that no other runtime has to run.
#pragma once

#include <span>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

inline constexpr std::string_view kOrtDomain = "com.microsoft";

// In the order in which they are tried at a node. They run once no other rewrite applies any more.
std::span<const Rewrite* const> ort_rewrites();
// The general rewrites, followed by those to ONNX Runtime's operators that replace whole regions, or by all of them.
std::span<const Rewrite* const> rewrites_with_ort_regions();
std::span<const Rewrite* const> rewrites_with_ort();

// ONNX Runtime has these kernels for float.
inline bool is_for_ort(const Value* value, const Rewriter& rw) {
  return rw.element_of(value) == ElementType::kFloat || rw.refuse("ONNX Runtime has its kernel for float only");
}

// The node that makes the value if it is this op of ONNX Runtime, and nothing else uses the value.
Node* sole_ort_producer(const Value* value, std::string_view op_type);

Value* make_ort(std::string_view op_type, std::initializer_list<Value*> operands,
                std::initializer_list<Parameter> parameters, Rewriter& rw);

// Replaces a LayerNormalization or RMSNormalization and the Add before it by SkipLayerNormalization or
// SkipSimplifiedLayerNormalization. Unless `everywhere`, only where ONNX Runtime does so itself when it loads the
// model. Returns whether it did.
bool fuse_skip_layer_norm(Node& norm, bool everywhere, Rewriter& rw);

}  // namespace onnxpress::passes

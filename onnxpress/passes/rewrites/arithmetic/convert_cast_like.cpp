// Replaces a CastLike by a Cast if the type is known, so that it no longer needs the value with that type.
//
//   before: y = CastLike(x, z)   with z of type float16
//   after:  y = Cast(x, to = float16)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_convert_cast_like(Node& node, Rewriter& rw) {
  const ElementType type = rw.element_of(node.input(1));
  if (type == ElementType::kUndefined || !node.attributes().empty()) return false;
  return rw.replace(node, rw.make("Cast", {node.input(0)}, {{"to", static_cast<std::int64_t>(type)}}));
}

constexpr std::string_view kConvertCastLikeRoots[] = {"CastLike"};

}  // namespace

extern const Rewrite convert_cast_like;
const Rewrite convert_cast_like = {.name = "convert-cast-like",
                                   .summary = "replaces a CastLike by a Cast if the type is known",
                                   .exactness = Exactness::kExact,
                                   .group = "arithmetic",
                                   .roots = kConvertCastLikeRoots,
                                   .apply = apply_convert_cast_like};

}  // namespace onnxpress::passes

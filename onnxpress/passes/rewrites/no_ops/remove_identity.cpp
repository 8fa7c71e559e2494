// Removes Identity.
//
//   before: y = Identity(x)
//   after:  readers of y read x
//
// An Identity stays if a graph output needs it, because the output would otherwise be an input, a constant, or the same
// value as another output.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_identity(Node& identity, Rewriter& rw) { return rw.replace(identity, identity.input(0)); }

constexpr std::string_view kRemoveIdentityRoots[] = {"Identity"};

}  // namespace

extern const Rewrite remove_identity;
const Rewrite remove_identity = {.name = "remove-identity",
                                 .summary = "removes Identity nodes, unless they name an output",
                                 .exactness = Exactness::kExact,
                                 .group = "no_ops",
                                 .roots = kRemoveIdentityRoots,
                                 .apply = apply_remove_identity};

}  // namespace onnxpress::passes

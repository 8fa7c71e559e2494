// Removes Identity.
//
//   before: y = Identity(x)
//   after:  whoever read y reads x
//
// An Identity stays where it gives a graph output a name of its own: the output would be an input, a constant, or the
// same value as another output.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_identity(Node& identity, Rewriter& rw) { return rw.replace(identity, identity.input(0)); }

constexpr std::string_view kRemoveIdentityRoots[] = {"Identity"};

}  // namespace

extern const Rewrite remove_identity;
const Rewrite remove_identity = {.name = "remove-identity",
                                 .summary = "removes Identity nodes that name nothing",
                                 .exactness = Exactness::kExact,
                                 .group = "clean-up",
                                 .roots = kRemoveIdentityRoots,
                                 .apply = apply_remove_identity};

}  // namespace onnxpress::passes

// Removes Dropout, which does nothing except in training.
//
//   before: y, mask = Dropout(x)
//   after:  readers of y read x
//
// It stays if its mask is read, and if training_mode is on or not known.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_dropout(Node& dropout, Rewriter& rw) {
  if (dropout.output(1) && dropout.output(1)->is_used()) return rw.refuse("its mask is used");
  const auto params = rw.params(dropout);
  if (params.given("training_mode") && params.integer("training_mode") != 0)
    return rw.refuse("it is, or may be, in training mode");
  // Old versions train unless is_test says otherwise.
  if (params.schema().attribute("is_test") && params.integer_or("is_test", 0) == 0)
    return rw.refuse("it is in training mode (is_test = 0)");
  return rw.replace(dropout, dropout.input(0));
}

constexpr std::string_view kRemoveDropoutRoots[] = {"Dropout"};

}  // namespace

extern const Rewrite remove_dropout;
const Rewrite remove_dropout = {.name = "remove-dropout",
                                .summary = "removes Dropout, which does nothing at inference time",
                                .exactness = Exactness::kExact,
                                .group = "no_ops",
                                .roots = kRemoveDropoutRoots,
                                .apply = apply_remove_dropout};

}  // namespace onnxpress::passes

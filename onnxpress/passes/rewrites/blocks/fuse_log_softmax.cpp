// Fuses Log and Softmax into LogSoftmax, which is also more exact.
//
//   before: y = Log(Softmax(x, axis = 1))
//   after:  y = LogSoftmax(x, axis = 1)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_log_softmax(Node& log, Rewriter& rw) {
  Node* softmax = rw.sole_producer(log.input(0), "Softmax");
  if (!softmax) return false;
  const auto axis = rw.params(*softmax).integer("axis");
  return axis && rw.replace(log, rw.make("LogSoftmax", {softmax->input(0)}, {{"axis", *axis}}));
}

constexpr std::string_view kFuseLogSoftmaxRoots[] = {"Log"};

}  // namespace

extern const Rewrite fuse_log_softmax;
const Rewrite fuse_log_softmax = {.name = "fuse-log-softmax",
                                  .summary = "fuses Log and Softmax into LogSoftmax",
                                  .exactness = Exactness::kReassociates,
                                  .group = "blocks",
                                  .large_pattern = true,
                                  .roots = kFuseLogSoftmaxRoots,
                                  .apply = apply_fuse_log_softmax};

}  // namespace onnxpress::passes

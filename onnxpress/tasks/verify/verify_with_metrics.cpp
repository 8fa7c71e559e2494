// verify() as a program calls it: in the engines that the options choose, with the metrics that they ask for.
#include "onnxpress/tasks/verify/user_metric.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

VerifyReport verify(const Model& first, const Model& second, const VerifyOptions& options) {
  VerifyResult result = verify_models(first, second, {options}, engines_for(options));
  add_metrics(options, result);
  return result;
}

}  // namespace onnxpress

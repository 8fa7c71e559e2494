// Joins the API, which knows no runtime, and the runtime.
#include "python/bindings/runtimes.h"

#include "onnxpress/api/option_values.h"
#include "onnxpress/tasks/verify/compare_outputs.h"
#include "onnxpress/engines/ort/ort_engine.h"
#include "onnxpress/tasks/verify/user_metric.h"

namespace onnxpress::python {

TaskRuntime runtime_at(const std::string& library) {
  return {.engines = [library] { return engines::engines_for({.library = library}); },
          .compare =
              [library](Model& original, Model& result) {
                tasks::VerifyOptions options;
                options.seconds = 5;  // enough, because the structure has been compared as well
                return tasks::compare_outputs(engines::engines_for({.library = library}).front(), original, result,
                                                options);
              }};
}

std::string verify_models(Model& first, Model& second, const std::string& options, const std::string& library) {
  tasks::VerifyOptions wanted;
  set_options(wanted, options);
  wanted.keep_outputs = wanted.labels || wanted.metric;
  auto report =
      tasks::verify(first, second, wanted,
                    engines::engines_for({.runtime = wanted.runtime, .provider = wanted.provider, .library = library}));
  tasks::add_metrics(wanted, report);
  return to_json(report);
}

}  // namespace onnxpress::python

// Joins the API, which knows no runtime, and the runtime.
#include "python/bindings/runtimes.h"

#include "onnxpress/api/option_values.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/verify/user_metric.h"

namespace onnxpress::python {

FindEngine runtime_at(const std::string& library) {
  return [library] { return engines::engines_for({.library = library}).front(); };
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

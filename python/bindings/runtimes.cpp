// Joins the API, which knows no runtime, and the runtime.
#include "python/bindings/runtimes.h"

#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/by_name/option_values.h"
#include "onnxpress/tasks/verify/user_metric.h"

namespace onnxpress::python {

FindEngine runtime_at(const std::string& library) {
  return [library](const EngineOptions& options) { return engines::engine_for(options, library); };
}

std::string verify_models(Model& first, Model& second, const std::string& options, const std::string& library) {
  VerifyOptions wanted;
  set_options(wanted, options);
  auto report = verify_models(first, second, {wanted}, engines_for(wanted, library));
  add_metrics(wanted, report);
  return to_json(report);
}

}  // namespace onnxpress::python

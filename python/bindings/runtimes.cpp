// Joins the API, which knows no runtime, and the runtime.
#include "python/bindings/runtimes.h"

#include "onnxpress/api/engine.h"
#include "onnxpress/api/option_values.h"
#include "onnxpress/tasks/verify/user_metric.h"

namespace onnxpress::python {

FindEngine runtime_at(const std::string& library) {
  return [library] { return find_engine(library); };
}

std::string verify_models(Model& first, Model& second, const std::string& options, const std::string& library) {
  tasks::VerifyOptions wanted;
  set_options(wanted, options);
  auto report = tasks::verify_models(first, second, {wanted}, tasks::engines_for(wanted, library));
  tasks::add_metrics(wanted, report);
  return to_json(report);
}

}  // namespace onnxpress::python

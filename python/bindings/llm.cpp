// Language models by their config.json, which needs no model at hand.
#include "onnxpress/tasks/by_name/llm_call.h"
#include "python/bindings/handles.h"

namespace onnxpress::python {

void bind_llm(nb::module_& module) {
  module.def("_llm", [](const std::string& config, const std::string& options, const std::string& output) {
    const nb::gil_scoped_release unlocked;
    return run_llm(config, options, output);
  });
  module.def("_llm_names", known_llm_names);
  module.def("_llm_options", [] {
    nb::list made;
    for (const TaskOption& each : options_of_llm()) made.append(nb::make_tuple(each.name, each.kind, each.help));
    return made;
  });
}

}  // namespace onnxpress::python

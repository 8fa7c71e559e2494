// Converts JSON options to a call of the task, and its report back to JSON.
#include "onnxpress/tasks/by_name/llm_call.h"

#include "onnxpress/tasks/by_name/option_values.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/llm/llm.h"
#include "onnxpress/tasks/llm/llm_config.h"

namespace onnxpress {

std::string run_llm(const std::string& config, std::string_view options, const std::string& output) {
  LlmOptions chosen;
  set_options(chosen, options);
  const LlmReport report = describe_llm(config, chosen);
  if (!output.empty()) {
    Model graph = graph_of_llm(config, chosen);
    save_checked(graph, {.output = output, .read_back = false});
  }
  return to_json(report);
}

std::vector<TaskOption> options_of_llm() { return listed_options<LlmOptions>(); }

std::vector<std::string> known_llm_names() {
  std::vector<std::string> names;
  for (const KnownLlm& each : known_llms()) names.emplace_back(each.name);
  return names;
}

}  // namespace onnxpress

/// The task `llm` with options and report as JSON, for languages other than C++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/tasks/by_name/task_calls.h"

namespace onnxpress {

/// `config` is the name of a file or of a known model, or the text of a config.json. With an `output`, the graph is
/// written there. Options and report are those of `onnxpress llm`. Throws Error.
std::string run_llm(const std::string& config, std::string_view options, const std::string& output);
std::vector<TaskOption> options_of_llm();
/// The names that run_llm() knows.
std::vector<std::string> known_llm_names();

}  // namespace onnxpress

// Tasks by name, with options and reports as JSON. Python and other languages call these.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/engine.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

using TaskProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Returns what runs models. It is only called when a task must run one; if it is empty, the built-in evaluator does.
using FindEngine = std::function<std::shared_ptr<const engines::Engine>(const EngineOptions& options)>;

/// Runs a task on a model, which it may change: "check", "edit", "expand", "infer", "info", "optimize", "profile",
/// "quantize" or "shrink".
///
/// `options` is a JSON object with the names of the command's flags (`_` for `-`). Returns the report that the command
/// prints with --json. Throws Error for a task or option that does not exist.
///
std::string run_task(std::string_view task, Model& model, std::string_view options, const TaskProgress& progress = {},
                     const FindEngine& runtime = {});

/// Tasks that take or make several models. The report of the task goes to `report`.
Model extract_part(Model& model, std::string_view options, std::string& report);
/// The shape engine of the model as JSON; its compute graph goes to `compute_graph`.
std::string shape_engine_of(Model& model, Model& compute_graph);
Model merge_models(Model& first, Model& second, std::string_view options, std::string& report);
std::vector<Model> split_model(Model& model, std::string_view options, std::string& report);
std::string diff_models(const Model& before, const Model& after, std::string_view options);

/// Writes the model with the options of `convert`. Returns its report.
std::string save_model(Model& model, const std::string& path, std::string_view options,
                       const TaskProgress& progress = {});

/// The names that options `only` and `skip` of optimize accept: our rewrites, and other tools' names for them.
std::vector<std::string> rewrite_names();
std::vector<std::string> other_pass_names();

/// The options of a task: name, kind ("bool", "int", "float", "str", "list", or words separated by '|') and help.
struct TaskOption {
  std::string name, kind, help;
};
std::vector<TaskOption> options_of(std::string_view task);
std::vector<std::string> task_names();

}  // namespace onnxpress

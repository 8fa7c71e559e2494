// The table of tasks.
#include "onnxpress/api/task_calls.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "onnxpress/api/borrowed_model.h"
#include "onnxpress/api/option_values.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/tasks/edit/edit.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/diff.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/inspect/info.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/optimize/other_names.h"
#include "onnxpress/tasks/parts/extract.h"
#include "onnxpress/tasks/parts/merge.h"
#include "onnxpress/tasks/parts/split.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/shapes/shapes.h"
#include "onnxpress/tasks/shrink/expand.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

namespace {

template <typename Options>
Options options_in(std::string_view json) {
  Options options;
  set_options(options, json);
  return options;
}

std::string run_check(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(tasks::check(model, options_in<tasks::CheckOptions>(json)));
}

std::string run_edit(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(tasks::edit(model, options_in<tasks::EditOptions>(json)));
}

std::string run_expand(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  set_no_options("expand", json);
  return to_json(tasks::expand(model));
}

std::string run_infer(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  tasks::InferReport report = tasks::declare_types(model, options_in<tasks::InferOptions>(json));
  report.file = model.path.string();
  return to_json(report);
}

std::string run_info(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(tasks::info(model, options_in<tasks::InfoOptions>(json)));
}

std::string run_optimize(Model& model, std::string_view json, const TaskProgress&, const FindEngine& runtime) {
  auto options = options_in<tasks::OptimizeOptions>(json);
  if (options.verify && runtime) options.engine = runtime();
  return to_json(tasks::optimize(model, options));
}

std::string run_profile(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(tasks::profile(model, options_in<tasks::ProfileOptions>(json)));
}

// With the engine, if the options need one.
tasks::ShrinkOptions shrink_options(std::string_view json, const FindEngine& runtime) {
  auto options = options_in<tasks::ShrinkOptions>(json);
  if (runtime && (options.pack || options.verify)) options.engine = runtime();
  return options;
}

std::string run_shrink(Model& model, std::string_view json, const TaskProgress& progress, const FindEngine& runtime) {
  return to_json(tasks::shrink(model, shrink_options(json, runtime), progress));
}

std::string run_quantize(Model& model, std::string_view json, const TaskProgress& progress, const FindEngine& runtime) {
  auto options = options_in<tasks::QuantizeOptions>(json);
  if (runtime) options.engine = runtime();
  return to_json(tasks::quantize(model, options, progress));
}

struct TaskRow {
  std::string_view name;
  // Null for tasks that have their own function in the header.
  std::string (*run)(Model& model, std::string_view json, const TaskProgress& progress, const FindEngine& runtime);
  std::vector<TaskOption> (*options)();
};
constexpr TaskRow kTasks[] = {
    {"check", run_check, listed_options<tasks::CheckOptions>},
    {"convert", nullptr, listed_options<tasks::ConvertOptions>},
    {"diff", nullptr, listed_options<tasks::DiffOptions>},
    {"edit", run_edit, listed_options<tasks::EditOptions>},
    {"expand", run_expand, [] { return std::vector<TaskOption>(); }},
    {"extract", nullptr, listed_options<tasks::ExtractOptions>},
    {"infer", run_infer, listed_options<tasks::InferOptions>},
    {"info", run_info, listed_options<tasks::InfoOptions>},
    {"merge", nullptr, listed_options<tasks::MergeOptions>},
    {"optimize", run_optimize, listed_options<tasks::OptimizeOptions>},
    {"profile", run_profile, listed_options<tasks::ProfileOptions>},
    {"quantize", run_quantize, listed_options<tasks::QuantizeOptions>},
    {"shrink", run_shrink, listed_options<tasks::ShrinkOptions>},
    {"split", nullptr, listed_options<tasks::SplitOptions>},
    {"verify", nullptr, listed_options<tasks::VerifyOptions>},
};

const TaskRow& row_of(std::string_view task) {
  for (const TaskRow& each : kTasks) {
    if (each.name == task) return each;
  }
  throw Error("", fmt::format("there is no task {}", quote_name(task)));
}

}  // namespace

std::string run_task(std::string_view task, Model& model, std::string_view options, const TaskProgress& progress,
                     const FindEngine& runtime) {
  const TaskRow& row = row_of(task);
  if (!row.run)
    throw Error("",
                fmt::format("{} cannot be run by name, because it needs more than one model and its options", task));
  return row.run(model, options, progress, runtime);
}

Model extract_part(Model& model, std::string_view options, std::string& report) {
  tasks::Part part = tasks::extract(model, options_in<tasks::ExtractOptions>(options));
  report = to_json(part.report);
  return std::move(part.model);
}

std::string shape_engine_of(Model& model, Model& compute_graph) {
  return to_json(tasks::shapes(model, tasks::ShapesOptions(), compute_graph));
}

Model merge_models(Model& first, Model& second, std::string_view options, std::string& report) {
  tasks::Merged merged = tasks::merge(first, second, options_in<tasks::MergeOptions>(options));
  report = to_json(merged.report);
  return std::move(merged.model);
}

std::vector<Model> split_model(Model& model, std::string_view options, std::string& report) {
  tasks::Stages stages = tasks::split(model, options_in<tasks::SplitOptions>(options));
  report = to_json(stages.report);
  return std::move(stages.models);
}

std::vector<std::string> rewrite_names() {
  std::vector<std::string> names;
  for (const tasks::RewriteInfo& each : tasks::rewrites()) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> other_pass_names() {
  std::vector<std::string> names;
  for (const tasks::OtherName& each : tasks::other_names()) names.emplace_back(each.name);
  return names;
}

std::string diff_models(const Model& before, const Model& after, std::string_view options) {
  return to_json(tasks::diff(before, after, options_in<tasks::DiffOptions>(options)));
}

std::string save_model(Model& model, const std::string& path, std::string_view options, const TaskProgress& progress) {
  const auto how = options_in<tasks::ConvertOptions>(options);
  tasks::ConvertStreams streams;
  streams.progress = progress;
  return to_json(tasks::save_as(model, path, how, streams));
}

std::vector<TaskOption> options_of(std::string_view task) { return row_of(task).options(); }

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskRow& each : kTasks) names.emplace_back(each.name);
  return names;
}

}  // namespace onnxpress

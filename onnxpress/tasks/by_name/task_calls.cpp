// The table of tasks.
#include "onnxpress/tasks/by_name/task_calls.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/tasks/by_name/option_values.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/inspect/info.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/optimize/other_names.h"
#include "onnxpress/tasks/parts/extract.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/report/field_lists/diff.h"
#include "onnxpress/tasks/report/field_lists/edit.h"
#include "onnxpress/tasks/report/field_lists/parts.h"
#include "onnxpress/tasks/shapes/shapes.h"
#include "onnxpress/tasks/shrink/expand.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

namespace {

std::string run_check(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(check(model, options_in<CheckOptions>(json)));
}

std::string run_edit(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(edit(model, options_in<EditOptions>(json)));
}

std::string run_expand(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  set_no_options("expand", json);
  return to_json(expand(model));
}

std::string run_infer(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  InferReport report = declare_types(model, options_in<InferOptions>(json));
  report.file = model.path.string();
  return to_json(report);
}

std::string run_info(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(info(model, options_in<InfoOptions>(json)));
}

std::string run_optimize(Model& model, std::string_view json, const TaskProgress&, const FindEngine& runtime) {
  auto options = options_in<OptimizeOptions>(json);
  if (options.verify && runtime) options.engine = runtime(options.asked_engine);
  return to_json(optimize(model, options));
}

std::string run_profile(Model& model, std::string_view json, const TaskProgress&, const FindEngine&) {
  return to_json(profile(model, options_in<ProfileOptions>(json)));
}

// With the engine, if the options need one.
ShrinkOptions shrink_options(std::string_view json, const FindEngine& runtime) {
  auto options = options_in<ShrinkOptions>(json);
  if (runtime && (options.pack || options.verify)) options.engine = runtime(options.asked_engine);
  return options;
}

std::string run_shrink(Model& model, std::string_view json, const TaskProgress& progress, const FindEngine& runtime) {
  return to_json(shrink(model, shrink_options(json, runtime), progress));
}

std::string run_quantize(Model& model, std::string_view json, const TaskProgress& progress, const FindEngine& runtime) {
  auto options = options_in<QuantizeOptions>(json);
  if (runtime) options.engine = runtime(options.asked_engine);
  return to_json(quantize(model, options, progress));
}

struct TaskRow {
  std::string_view name;
  // Null for tasks that have their own function in the header.
  std::string (*run)(Model& model, std::string_view json, const TaskProgress& progress, const FindEngine& runtime);
  std::vector<TaskOption> (*options)();
};
constexpr TaskRow kTasks[] = {
    {"check", run_check, listed_options<CheckOptions>},
    {"convert", nullptr, listed_options<ConvertOptions>},
    {"diff", nullptr, listed_options<DiffOptions>},
    {"edit", run_edit, listed_options<EditOptions>},
    {"expand", run_expand, [] { return std::vector<TaskOption>(); }},
    {"extract", nullptr, listed_options<ExtractOptions>},
    {"infer", run_infer, listed_options<InferOptions>},
    {"info", run_info, listed_options<InfoOptions>},
    {"merge", nullptr, listed_options<MergeOptions>},
    {"optimize", run_optimize, listed_options<OptimizeOptions>},
    {"profile", run_profile, listed_options<ProfileOptions>},
    {"quantize", run_quantize, listed_options<QuantizeOptions>},
    {"shrink", run_shrink, listed_options<ShrinkOptions>},
    {"split", nullptr, listed_options<SplitOptions>},
    {"verify", nullptr, listed_options<VerifyOptions>},
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
  Part part = extract(model, options_in<ExtractOptions>(options));
  report = to_json(part.report);
  return std::move(part.model);
}

std::string shape_engine_of(Model& model, Model& compute_graph) {
  return to_json(shapes(model, ShapesOptions(), compute_graph));
}

Model merge_models(Model& first, Model& second, std::string_view options, std::string& report) {
  Merged merged = merge(first, second, options_in<MergeOptions>(options));
  report = to_json(merged.report);
  return std::move(merged.model);
}

std::vector<Model> split_model(Model& model, std::string_view options, std::string& report) {
  Stages stages = split(model, options_in<SplitOptions>(options));
  report = to_json(stages.report);
  return std::move(stages.models);
}

std::vector<std::string> rewrite_names() {
  std::vector<std::string> names;
  for (const RewriteInfo& each : rewrites()) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> other_pass_names() {
  std::vector<std::string> names;
  for (const OtherName& each : other_names()) names.emplace_back(each.name);
  return names;
}

std::string diff_models(const Model& before, const Model& after, std::string_view options) {
  return to_json(diff(before, after, options_in<DiffOptions>(options)));
}

std::string save_model(Model& model, const std::string& path, std::string_view options, const TaskProgress& progress) {
  const auto how = options_in<ConvertOptions>(options);
  ConvertStreams streams;
  streams.progress = progress;
  return to_json(save_as(model, path, how, streams));
}

std::vector<TaskOption> options_of(std::string_view task) { return row_of(task).options(); }

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const TaskRow& each : kTasks) names.emplace_back(each.name);
  return names;
}

}  // namespace onnxpress

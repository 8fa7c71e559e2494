// Loads models for tasks that only look at them.
#include "onnxpress/tasks/jobs/ask_files.h"

#include <utility>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/inputs/samples.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/inspect/info.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/report/field_lists/diff.h"
#include "onnxpress/tasks/report/field_lists/memory.h"
#include "onnxpress/tasks/run/run.h"
#include "onnxpress/tasks/verify/compare_nodes.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

namespace {

// The report of a task, with the name of the file.
template <typename Task>
auto ask(const std::string& path, const LoadOptions& load, const Task& task) {
  begin_stage("reading");
  LoadedModel loaded = open_model(path, load);
  try {
    auto report = task(loaded);
    report.file = loaded.name;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

// The model's file and its external ones.
std::vector<std::string> files_of(const std::string& path, const Model& model) {
  if (path == "-")
    throw OptionError("option `compressed` measures files, which standard input is not",
                      "save the model in a file first");
  std::vector<std::string> files = {path};
  for (const auto& each : model.external_files) files.push_back(each->path().string());
  return files;
}

bool have_same_bytes(const LoadedModel& before, const LoadedModel& after) {
  const Bytes &a = before.model.origin, &b = after.model.origin;
  if (!a.data() || !b.data() || a.view() != b.view()) return false;
  return before.model.external_files.empty() || before.name == after.name;
}

}  // namespace

CheckReport check_file(const std::string& path, const CheckOptions& options) {
  return ask(path, options.load, [&](LoadedModel& loaded) { return check(loaded.model, options); });
}

InfoReport info_file(const std::string& path, const InfoOptions& options) {
  return ask(path, options.load, [&](LoadedModel& loaded) {
    InfoReport report = info_as_read(loaded.model, loaded.format, loaded.file_bytes, options);
    if (options.compressed) report.compressed = compressed_sizes(files_of(path, loaded.model));
    return report;
  });
}

InferReport infer_file(const std::string& path, const InferOptions& options) {
  return ask(path, options.load, [&](LoadedModel& loaded) { return infer(loaded.model, options); });
}

ProfileReport profile_file(const std::string& path, const ProfileOptions& options) {
  return ask(path, options.load, [&](LoadedModel& loaded) { return profile(loaded.model, options); });
}

MemoryReport plan_memory_of_file(const std::string& path, const MemoryOptions& options) {
  return ask(path, options.load, [&](LoadedModel& loaded) { return plan_memory(loaded.model, options); });
}

DiffReport diff_files(const std::string& before, const std::string& after, const DiffOptions& options) {
  const LoadedModel first = open_model(before, options.load), second = open_model(after, options.load);
  DiffReport report;
  if (have_same_bytes(first, second))
    report.same_bytes = true;
  else
    report = diff(first.model, second.model, options);
  report.before = first.name;
  report.after = second.name;
  return report;
}

RunReport run_file(const std::string& path, const RunOptions& options,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return ask(path, options.load, [&](LoadedModel& loaded) { return run(loaded.model, options, progress); });
}

NodeReport compare_nodes_of_file(const engines::Engine& engine, const std::string& path, const VerifyOptions& options) {
  return ask(path, options.load, [&](LoadedModel& loaded) {
    RunOptions how{.seed = options.seed, .bindings = options.bindings};
    if (options.samples) how.arrays = inputs::read_samples(*options.samples, loaded.model).front().arrays;
    return compare_nodes(engine, loaded.model, how);
  });
}

VerifyResult verify_files(const std::string& first, const std::string& second, const VerifyOptions& options,
                          const engines::Engines& engines) {
  LoadedModel a = open_model(first, options.load), b = open_model(second, options.load);
  try {
    VerifyResult report = verify_models(a.model, b.model, {options}, engines);
    report.first = a.name;
    report.second = b.name;
    return report;
  } catch (Error& error) {
    error.set_file(a.name);
    throw;
  }
}

}  // namespace onnxpress

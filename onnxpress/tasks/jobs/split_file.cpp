// Saves the stages together, with or without one file for the weights of all.
#include "onnxpress/tasks/jobs/split_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <unordered_map>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/passes/whole/constants_to_initializers.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_together.h"

namespace onnxpress {

namespace {

// Finds equal weights of the stages by their names, as all stages come from one model.
format::SameContent same_weights(const std::vector<Model>& stages) {
  std::unordered_map<std::string_view, const Tensor*> first;
  format::SameContent same;
  for (const Model& stage : stages) {
    for (const Value* value : stage.graph().initializers()) {
      const Tensor* tensor = value->initializer();
      same[tensor] = first.emplace(value->name(), tensor).first->second;
    }
  }
  return same;
}

void save_stages(std::vector<Model>& stages, const std::string& output, const SplitOptions& options,
                 const OriginalModel& original, SplitReport& report) {
  std::vector<SaveTarget> targets;
  std::vector<format::SharedWriter::Output> outputs;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::string path = fmt::format("{}.{}.onnx", output, s);
    report.stages[s].file = std::filesystem::path(path).filename().string();
    targets.push_back({.model = &stages[s], .output = path, .original = original});
    outputs.push_back({&stages[s], path});
  }
  SaveRequest request{.load = options.load};
  const std::string manifest = to_json(report);
  const auto write_manifest = [&manifest](AtomicFile& file) { file.write(manifest); };
  // The manifest gets its name last, so that all stages exist when it does.
  request.beside.push_back({output + ".json", write_manifest, true});
  if (!options.share_weights) {
    report.files = save_together(targets, nullptr, request).files;
    return;
  }
  const std::string shared = std::filesystem::path(output).filename().string() + ".data";
  const format::SharedWriter writer(outputs, shared, same_weights(stages));
  report.files = save_together(targets, &writer, request).files;
}

}  // namespace

SplitReport split_file(const std::string& input, const std::string& output, const SplitOptions& options) {
  begin_stage("reading");
  LoadedModel loaded = open_model(input, options.load);
  try {
    // Only initializers can be in an external file.
    if (options.share_weights) passes::constants_to_initializers(loaded.model);
    Stages stages = split(loaded.model, options);
    stages.report.file = loaded.name;
    save_stages(stages.models, output, options, original_in(input, options.load), stages.report);
    return std::move(stages.report);
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

}  // namespace onnxpress

// Kernels carry the name of a node, of a tensor, or one that the optimizer made up; the optimized model says the rest.
#include "onnxpress/runtime/time_profile.h"

#include <algorithm>
#include <unordered_map>

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/tasks/inputs/custom_ops.h"
#include "onnxpress/tasks/inputs/random_input.h"
#include "onnxpress/tasks/profile/assumed_sizes.h"
#include "onnxpress/tasks/profile/layer_tree.h"
#include "onnxpress/tasks/profile/profile_names.h"

namespace onnxpress::runtime {

namespace {

constexpr std::size_t kNoRow = ~std::size_t{0};
constexpr int kMostSteps = 8;  // back from the result of a fused kernel to the node that does its work

class Join {
 public:
  Join(const Model& model, const Model& optimized, tasks::ProfileReport& report) : report_(report) {
    for (std::size_t i = 0; i < report.node_list.size(); ++i) row_of_name_.emplace(report.node_list[i].name, i);
    std::size_t row = 0;
    for (const Node& node : model.graph().nodes()) {
      while (row < report.node_list.size() && report.node_list[row].depth > 0) ++row;
      if (row == report.node_list.size()) break;
      rows_.emplace(&node, row);
      for (const Value* output : node.outputs()) {
        if (output) maker_.emplace(output->name(), &node);
      }
      ++row;
    }
    for (const Node& node : optimized.graph().nodes()) kernels_.emplace(std::string(node.name()), &node);
  }

  // The share of time that found its node.
  double assign(const std::vector<KernelTime>& kernels) {
    for (const KernelTime& each : kernels) {
      if (row_of_name_.contains(each.name)) taken_.insert({row_of_name_.at(each.name), true});
    }
    double all = 0, joined = 0;
    for (const KernelTime& each : kernels) {
      all += each.microseconds;
      const std::size_t row = row_for(each.name);
      if (row == kNoRow) continue;
      joined += each.microseconds;
      auto& time = report_.node_list[row].microseconds;
      time = time.value_or(0) + each.microseconds;
    }
    return all == 0 ? 0 : joined / all;
  }

 private:
  std::size_t row_for(const std::string& kernel) {
    if (const auto exact = row_of_name_.find(kernel); exact != row_of_name_.end()) return exact->second;
    const auto found = kernels_.find(kernel);
    return row_by_text(kernel, found == kernels_.end() ? nullptr : found->second, 0);
  }

  std::size_t row_by_text(const std::string& kernel, const Node* node, int depth) {
    if (kernel.ends_with("_nchwc")) {
      if (const std::size_t row = row_of_tensor(kernel.substr(0, kernel.size() - 6)); row != kNoRow) return row;
    }
    // "/model.0/act/Mul/QuickGeluFusion/"
    if (const std::size_t fusion = kernel.rfind("Fusion"); fusion != std::string::npos) {
      const std::size_t slash = kernel.rfind('/', fusion);
      const auto named = slash == std::string::npos ? row_of_name_.end() : row_of_name_.find(kernel.substr(0, slash));
      if (named != row_of_name_.end()) return named->second;
    }
    if (!node || depth > kMostSteps) return kNoRow;
    for (const Value* output : node->outputs()) {
      const std::size_t row = output ? row_of_tensor(output->name()) : kNoRow;
      if (row != kNoRow) return row;
    }
    // Another layout of what another kernel made.
    for (const Use& use : node->inputs()) {
      if (!use.value()) continue;
      if (const std::size_t row = row_of_tensor(use.value()->name()); row != kNoRow) return row;
      const Node* producer = use.value()->producer();
      if (!producer) continue;
      const auto exact = row_of_name_.find(std::string(producer->name()));
      if (exact != row_of_name_.end()) return exact->second;
      if (const std::size_t row = row_by_text(std::string(producer->name()), producer, depth + 1); row != kNoRow)
        return row;
    }
    return kNoRow;
  }

  // The node that makes the tensor or, where that does little, the one before it that was computed in the same kernel.
  std::size_t row_of_tensor(std::string_view name) {
    const auto found = maker_.find(name);
    if (found == maker_.end()) return kNoRow;
    const std::size_t first = rows_.at(found->second);
    const Node* node = found->second;
    for (int step = 0; node && step < kMostSteps; ++step) {
      const std::size_t row = rows_.at(node);
      if (report_.node_list[row].macs.value_or(0) > 0) return row;
      if (step > 0 && taken_.contains(row)) break;  // it ran by itself
      const Value* before = node->input(0);
      const auto maker = before ? maker_.find(before->name()) : maker_.end();
      node = maker == maker_.end() ? nullptr : maker->second;
    }
    return first;
  }

  tasks::ProfileReport& report_;
  std::unordered_map<std::string, std::size_t> row_of_name_;
  std::unordered_map<const Node*, std::size_t> rows_;
  std::unordered_map<std::string_view, const Node*> maker_;
  std::unordered_map<std::string, const Node*> kernels_;
  std::unordered_map<std::size_t, bool> taken_;
};

Session::Inputs inputs_for(tasks::LoadedModel& loaded, const tasks::ProfileOptions& options) {
  const tasks::CustomOps custom(loaded.model, options.custom_ops);
  analysis::FactSettings settings = tasks::settings_of(options.bindings, loaded.model);
  settings.rules = custom.rules();
  const auto values = settings.values;
  const analysis::Facts facts(loaded.model, std::move(settings));
  tasks::AssumedSizes sizes(facts);
  sizes.add_inputs(loaded.model);
  tasks::OpenDims open;
  for (const auto& [symbol, size] : sizes.all()) open.sizes.emplace(symbol, size);
  Session::Inputs inputs = tasks::made_inputs(loaded.model, facts, open, 1);
  for (auto& [name, array] : inputs) {
    for (const auto& [given, value] : values) {
      if (given == name) array = value;
    }
  }
  return inputs;
}

double percentile(std::vector<double> numbers, double share) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  return numbers[std::min(numbers.size() - 1, static_cast<std::size_t>(share * static_cast<double>(numbers.size())))];
}

}  // namespace

void add_times(const std::shared_ptr<const OnnxRuntime>& runtime, const std::string& path,
               const tasks::ProfileOptions& options, const TimeSettings& settings, tasks::ProfileReport& report) {
  if (!runtime) throw Error("", "no ONNX Runtime was found, so nothing can be timed", kHowToGet);
  tasks::LoadedModel loaded = tasks::load_model(path, options.load);
  if (loaded.format != tasks::ModelFormat::kOnnx || path == "-")
    throw Error("", "only a file that ends in .onnx can be timed", "convert it first");
  const TemporaryFolder folder(std::filesystem::temp_directory_path());
  const std::filesystem::path optimized = folder.path() / "optimized.onnx";
  const KernelTimes times = time_kernels(runtime, path, inputs_for(loaded, options), settings, optimized);
  tasks::TimeProfile& out = report.time.emplace();
  out.runtime = runtime->version();
  out.runs = times.run_milliseconds.size();
  out.threads = static_cast<std::uint64_t>(std::max(0, settings.threads));
  out.median_ms = percentile(times.run_milliseconds, 0.5);
  out.p90_ms = percentile(times.run_milliseconds, 0.9);
  out.kernels = times.kernels.size();
  for (const KernelTime& each : times.kernels) out.kernels_ms += each.microseconds / 1000;
  tasks::LoadedModel changed = tasks::load_model(optimized.string());
  out.joined = Join(loaded.model, changed.model, report).assign(times.kernels);
  if (options.details) report.layers = tasks::layers_of(report.node_list);
}

}  // namespace onnxpress::runtime

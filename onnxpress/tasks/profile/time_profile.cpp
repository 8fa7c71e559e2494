// Runs the model on the sizes that the profile assumed, and adds up kernels by node.
#include "onnxpress/tasks/profile/time_profile.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/tasks/profile/assumed_sizes.h"
#include "onnxpress/tasks/profile/kernel_nodes.h"
#include "onnxpress/tasks/profile/layer_tree.h"
#include "onnxpress/tasks/profile/profile_names.h"
#include "onnxpress/tasks/settings/custom_ops.h"

namespace onnxpress {

namespace {

engines::OrtSession::Inputs inputs_for(LoadedModel& loaded, const ProfileOptions& options) {
  const CustomOps custom(loaded.model, options.custom_ops);
  analysis::FactSettings settings = settings_of(options.bindings, loaded.model);
  settings.rules = custom.rules();
  const auto values = settings.values;
  const analysis::Facts facts(loaded.model, std::move(settings));
  AssumedSizes sizes(facts);
  sizes.add_inputs(loaded.model);
  inputs::OpenDims open;
  for (const auto& [symbol, size] : sizes.all()) open.sizes.emplace(symbol, size);
  engines::OrtSession::Inputs inputs = inputs::made_inputs(loaded.model, facts, open, 1);
  for (auto& [name, array] : inputs) {
    for (const auto& [given, value] : values) {
      if (given == name) array = value;
    }
  }
  return inputs;
}

// Computes the rates that a kernel achieved. For a fused kernel, the bytes are those that its own node reads and
// writes.
void add_rates(NodeProfile& node, std::uint64_t flops_of_covered) {
  if (!node.microseconds || *node.microseconds <= 0 || !node.flops) return;
  node.kernel_flops = *node.flops + flops_of_covered;
  node.gflops_per_s = static_cast<double>(*node.kernel_flops) / *node.microseconds / 1000;
  node.gb_per_s = static_cast<double>(node.read.value_or(0) + node.written.value_or(0)) / *node.microseconds / 1000;
}

// Assigns the times of kernels to nodes. Returns the share of the time whose node was found.
double assign(const std::vector<engines::KernelTime>& kernels, KernelNodes nodes, ProfileReport& report) {
  nodes.tell(kernels);
  double all = 0, joined = 0;
  std::unordered_set<std::size_t> owned, covered;
  for (const engines::KernelTime& each : kernels) {
    if (const auto row = nodes.find(each)) owned.insert(*row);
  }
  std::vector<std::uint64_t> extra_flops(report.node_list.size(), 0);
  for (const engines::KernelTime& each : kernels) {
    all += each.microseconds;
    const auto row = nodes.find(each);
    if (!row) continue;
    joined += each.microseconds;
    NodeProfile& node = report.node_list[*row];
    node.microseconds = node.microseconds.value_or(0) + each.microseconds;
    node.p90_microseconds = node.p90_microseconds.value_or(0) + each.p90;
    for (const std::size_t other : nodes.covered(each, owned)) {
      if (!covered.insert(other).second) continue;
      node.covers.push_back(report.node_list[other].name);
      extra_flops[*row] += report.node_list[other].flops.value_or(0);
    }
  }
  for (std::size_t row = 0; row < report.node_list.size(); ++row) add_rates(report.node_list[row], extra_flops[row]);
  return all == 0 ? 0 : joined / all;
}

// The model is timed at the sizes of the profile; if it does not run at those, the error tells the user to choose
// others.
engines::KernelTimes times_at_assumed_sizes(const std::shared_ptr<const engines::OnnxRuntime>& runtime,
                                            const std::string& path, const engines::OrtSession::Inputs& inputs,
                                            const engines::TimeSettings& settings,
                                            const std::filesystem::path& optimized) {
  try {
    return engines::time_kernels(runtime, path, inputs, settings, optimized);
  } catch (const Error& error) {
    if (!error.hint().empty()) throw;
    throw Error(error.where(), error.message(), "give the sizes and values of inputs that the model runs with");
  }
}

double percentile(std::vector<double> numbers, double share) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  return numbers[std::min(numbers.size() - 1, static_cast<std::size_t>(share * static_cast<double>(numbers.size())))];
}

}  // namespace

void add_times(const std::shared_ptr<const engines::OnnxRuntime>& runtime, const std::string& path,
               const ProfileOptions& options, const engines::TimeSettings& settings, ProfileReport& report) {
  if (!runtime) throw Error("", "no ONNX Runtime was found, so nothing can be timed", engines::kHowToGet);
  LoadedModel loaded = open_model(path, options.load);
  if (loaded.format != ModelForm::kOnnx || path == "-")
    throw Error("", "only .onnx files can be timed", "convert the model to .onnx first");
  const TemporaryFolder folder(std::filesystem::temp_directory_path());
  const std::filesystem::path optimized = folder.path() / "optimized.onnx";
  const engines::KernelTimes times =
      times_at_assumed_sizes(runtime, path, inputs_for(loaded, options), settings, optimized);
  TimeProfile& out = report.time.emplace();
  out.runtime = runtime->version();
  out.runs = times.run_milliseconds.size();
  out.threads = static_cast<std::uint64_t>(std::max(0, settings.threads));
  out.median_ms = percentile(times.run_milliseconds, 0.5);
  out.p90_ms = percentile(times.run_milliseconds, 0.9);
  out.kernels = times.kernels.size();
  for (const engines::KernelTime& each : times.kernels) out.kernels_ms += each.microseconds / 1000;
  LoadedModel changed = open_model(optimized.string());
  out.joined = assign(times.kernels, KernelNodes(loaded.model, changed.model, report.node_list), report);
  if (options.details) report.layers = layers_of(report.node_list);
}

}  // namespace onnxpress

// Reads the trace that ONNX Runtime writes: one event for each kernel that ran.
#include "onnxpress/runtime/bench/node_times.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "onnxpress/base/error.h"

namespace onnxpress::runtime {

namespace {

constexpr std::string_view kEnding = "_kernel_time";

// Finds the node of the model that a kernel stands for.
class Finder {
 public:
  Finder(const Model& model, const tasks::ProfileReport& work) {
    for (const tasks::NodeProfile& each : work.node_list) named_.emplace(each.name, &each);
    for (const Node& node : model.graph().nodes()) {
      for (const Value* output : node.outputs()) {
        if (output) producers_.emplace(output->name(), &node);
      }
    }
  }

  const tasks::NodeProfile* find(std::string_view kernel, std::string_view op) const {
    if (const auto* found = named(kernel)) return found;
    // Layouts are changed by adding an ending to the name of a result.
    for (const std::string_view ending : {"_nchwc", "_nhwc"}) {
      if (!kernel.ends_with(ending)) continue;
      kernel.remove_suffix(ending.size());
      if (const auto* found = named(kernel)) return found;
    }
    // A fused node has the result of the last node in it, and its work is that of the first: Conv, then Relu.
    const auto last = producers_.find(kernel);
    const Node* node = last == producers_.end() ? nullptr : last->second;
    if (op.starts_with("Fused")) op.remove_prefix(5);
    for (int steps = 0; node && steps < 6; ++steps) {
      if (node->op_type() == op) return named(node->name().empty() ? node->output(0)->name() : node->name());
      node = node->input(0) ? node->input(0)->producer() : nullptr;
    }
    return nullptr;
  }

 private:
  const tasks::NodeProfile* named(std::string_view name) const {
    const auto found = named_.find(name);
    return found != named_.end() ? found->second : nullptr;
  }

  std::unordered_map<std::string_view, const tasks::NodeProfile*> named_;
  std::unordered_map<std::string_view, const Node*> producers_;  // by names of results
};

void join(NodeTime& line, const tasks::NodeProfile& work) {
  line.macs = work.macs;
  if (work.read && work.written) line.bytes = *work.read + *work.written;
  if (line.seconds <= 0) return;
  if (line.macs && *line.macs > 0) line.gflops = 2 * static_cast<double>(*line.macs) / line.seconds / 1e9;
  if (line.bytes && *line.bytes > 0) line.gbytes = static_cast<double>(*line.bytes) / line.seconds / 1e9;
}

}  // namespace

NodeTimes node_times(const std::string& json, std::uint64_t runs, const Model& model,
                     const tasks::ProfileReport& work) {
  const auto events = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!events.is_array()) throw Error("", "ONNX Runtime's profile cannot be read");
  std::unordered_map<std::string, NodeTime> found;
  NodeTimes times{.runs = std::max<std::uint64_t>(runs, 1)};
  for (const auto& event : events) {
    const std::string name = event.value("name", "");
    if (event.value("cat", "") != "Node" || !name.ends_with(kEnding)) continue;
    const std::string node = name.substr(0, name.size() - kEnding.size());
    NodeTime& line = found[node];
    line.node = node;
    if (event.contains("args") && event["args"].is_object()) line.op = event["args"].value("op_name", "");
    line.seconds += event.value("dur", 0.0) * 1e-6 / static_cast<double>(times.runs);
  }
  const Finder finder(model, work);
  for (auto& [name, line] : found) {
    times.seconds += line.seconds;
    if (const tasks::NodeProfile* node = finder.find(name, line.op)) {
      ++times.joined;
      join(line, *node);
    }
    times.nodes.push_back(std::move(line));
  }
  for (NodeTime& line : times.nodes) line.share = times.seconds > 0 ? line.seconds / times.seconds : 0;
  std::ranges::sort(times.nodes, [](const NodeTime& a, const NodeTime& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.node < b.node;
  });
  return times;
}

}  // namespace onnxpress::runtime

// Joins kernels, as ONNX Runtime names them, with the work of the nodes they stand for.
#include "onnxpress/tasks/bench/node_times.h"

#include <algorithm>
#include <map>

#include "onnxpress/tasks/profile/kernel_nodes.h"

namespace onnxpress {

namespace {

void join(NodeTime& line, const NodeProfile& work) {
  line.macs = work.macs;
  if (work.read && work.written) line.bytes = *work.read + *work.written;
  if (line.seconds <= 0) return;
  if (line.macs && *line.macs > 0) line.gflops = 2 * static_cast<double>(*line.macs) / line.seconds / 1e9;
  if (line.bytes && *line.bytes > 0) line.gbytes = static_cast<double>(*line.bytes) / line.seconds / 1e9;
}

}  // namespace

NodeTimes node_times(const engines::KernelTimes& times, const Model& model, const Model& optimized,
                     const ProfileReport& work) {
  KernelNodes nodes(model, optimized, work.node_list);
  nodes.tell(times.kernels);
  NodeTimes found{.runs = times.run_milliseconds.size()};
  // Kernels that convert a result to another layout belong to the node that computed it, but they do not do its work.
  std::map<std::size_t, std::size_t> workers;  // row -> the kernel that does its work
  const auto is_better = [&](std::size_t row, const engines::KernelTime& one, const engines::KernelTime& other) {
    const bool same = op_inside(one.op) == work.node_list[row].op,
               others = op_inside(other.op) == work.node_list[row].op;
    return same != others ? same : one.microseconds > other.microseconds;
  };
  for (std::size_t i = 0; i < times.kernels.size(); ++i) {
    const engines::KernelTime& kernel = times.kernels[i];
    found.nodes.push_back({.node = kernel.name, .op = kernel.op, .seconds = kernel.microseconds * 1e-6});
    found.seconds += found.nodes.back().seconds;
    const auto row = nodes.find(kernel);
    if (!row) continue;
    ++found.joined;
    const auto [at, is_new] = workers.emplace(*row, i);
    if (!is_new && is_better(*row, kernel, times.kernels[at->second])) at->second = i;
  }
  for (const auto& [row, i] : workers) join(found.nodes[i], work.node_list[row]);
  for (NodeTime& line : found.nodes) line.share = found.seconds > 0 ? line.seconds / found.seconds : 0;
  std::ranges::sort(found.nodes, [](const NodeTime& a, const NodeTime& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.node < b.node;
  });
  return found;
}

}  // namespace onnxpress

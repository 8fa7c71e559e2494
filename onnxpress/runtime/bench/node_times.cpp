// Kernels as ONNX Runtime names them, beside the work of the nodes that they stand for.
#include "onnxpress/runtime/bench/node_times.h"

#include <algorithm>

#include "onnxpress/runtime/kernel_nodes.h"

namespace onnxpress::runtime {

namespace {

void join(NodeTime& line, const tasks::NodeProfile& work) {
  line.macs = work.macs;
  if (work.read && work.written) line.bytes = *work.read + *work.written;
  if (line.seconds <= 0) return;
  if (line.macs && *line.macs > 0) line.gflops = 2 * static_cast<double>(*line.macs) / line.seconds / 1e9;
  if (line.bytes && *line.bytes > 0) line.gbytes = static_cast<double>(*line.bytes) / line.seconds / 1e9;
}

}  // namespace

NodeTimes node_times(const KernelTimes& times, const Model& model, const Model& optimized,
                     const tasks::ProfileReport& work) {
  KernelNodes nodes(model, optimized, work.node_list);
  nodes.tell(times.kernels);
  NodeTimes found{.runs = times.run_milliseconds.size()};
  for (const KernelTime& kernel : times.kernels) {
    NodeTime line{.node = kernel.name, .op = kernel.op, .seconds = kernel.microseconds * 1e-6};
    found.seconds += line.seconds;
    if (const auto row = nodes.find(kernel.name)) {
      ++found.joined;
      join(line, work.node_list[*row]);
    }
    found.nodes.push_back(std::move(line));
  }
  for (NodeTime& line : found.nodes) line.share = found.seconds > 0 ? line.seconds / found.seconds : 0;
  std::ranges::sort(found.nodes, [](const NodeTime& a, const NodeTime& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.node < b.node;
  });
  return found;
}

}  // namespace onnxpress::runtime

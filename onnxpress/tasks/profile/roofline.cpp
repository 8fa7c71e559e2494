// Arithmetic and memory traffic hide behind each other: the longer one counts.
#include "onnxpress/tasks/profile/roofline.h"

#include <algorithm>

namespace onnxpress::tasks {

namespace {

// A node this quick on paper that takes ten times as long is kept up by starting and stopping, not by its work.
constexpr double kSmallMicroseconds = 5, kOverheadShare = 0.1;

void add_roof(const Device& device, NodeProfile& node, RoofProfile& roof) {
  node.roof_microseconds = node.roof_share = std::nullopt;
  node.bound.clear();
  if (!node.counted || !node.known || !node.flops) return;
  const double bytes = static_cast<double>(node.read.value_or(0)) + static_cast<double>(node.written.value_or(0));
  const double compute = 1e6 * static_cast<double>(*node.flops) / device.flops(static_cast<int>(node.compute_bits));
  const double memory = 1e6 * bytes / device.bytes_per_s();
  const double longer = std::max(compute, memory);
  node.roof_microseconds = longer;
  roof.milliseconds += longer / 1000;
  if (compute > memory) roof.compute_ms += longer / 1000;
  if (longer == 0) return;
  node.bound = compute > memory ? "compute" : "memory";
  if (!node.microseconds || *node.microseconds <= 0) return;
  node.roof_share = longer / *node.microseconds;
  if (longer < kSmallMicroseconds && *node.roof_share < kOverheadShare) node.bound = "overhead";
}

}  // namespace

void add_roof(const Device& device, ProfileReport& report) {
  RoofProfile roof;
  roof.device = device.name;
  roof.gflops_float = device.gflops_float;
  roof.gflops_float16 = device.gflops_float16;
  roof.gflops_int8 = device.gflops_int8;
  roof.gb_per_s = device.gb_per_s;
  for (NodeProfile& node : report.node_list) add_roof(device, node, roof);
  if (report.time && report.time->kernels_ms > 0) roof.share = roof.milliseconds / report.time->kernels_ms;
  report.roof = roof;
}

}  // namespace onnxpress::tasks

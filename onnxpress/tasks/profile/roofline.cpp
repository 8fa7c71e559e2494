// Arithmetic and memory traffic overlap, so the longer one counts.
#include "onnxpress/tasks/profile/roofline.h"

#include <algorithm>

namespace onnxpress {

namespace {

// If a node should take less than this, but takes over ten times as long, the time is overhead, not work.
constexpr double kSmallMicroseconds = 5, kOverheadShare = 0.1;

void add_roof(const Device& device, bool timed, NodeProfile& node, RoofProfile& roof) {
  node.roof_microseconds = node.roof_share = std::nullopt;
  node.bound = Bound::kNone;
  if (!node.counted || !node.known || !node.flops) return;
  if (timed && !node.microseconds) return;  // the kernel of another node computes it, or it was computed while loading
  const double bytes = static_cast<double>(node.read.value_or(0)) + static_cast<double>(node.written.value_or(0));
  const double compute = 1e6 * static_cast<double>(node.kernel_flops.value_or(*node.flops)) /
                         device.flops(static_cast<int>(node.compute_bits));
  const double memory = 1e6 * bytes / device.bytes_per_s(bytes);
  const double longer = std::max(compute, memory);
  node.roof_microseconds = longer;
  roof.milliseconds += longer / 1000;
  if (compute > memory) roof.compute_ms += longer / 1000;
  if (longer == 0) return;
  node.bound = compute > memory ? Bound::kCompute : Bound::kMemory;
  if (!node.microseconds || *node.microseconds <= 0) return;
  node.roof_share = longer / *node.microseconds;
  if (longer < kSmallMicroseconds && *node.roof_share < kOverheadShare) node.bound = Bound::kOverhead;
}

}  // namespace

Device at_least_as_reached(Device device, const ProfileReport& report) {
  constexpr double kLongEnough = 20;  // microseconds; times of shorter kernels are too inaccurate
  for (const NodeProfile& node : report.node_list) {
    if (node.microseconds.value_or(0) < kLongEnough) continue;
    const double bytes = static_cast<double>(node.read.value_or(0)) + static_cast<double>(node.written.value_or(0));
    double& rate = node.compute_bits == 8 ? device.gflops_int8 : device.gflops_float;
    double& traffic = device.is_in_cache(bytes) ? device.cache_gb_per_s : device.gb_per_s;
    rate = std::max(rate, node.gflops_per_s.value_or(0));
    traffic = std::max(traffic, node.gb_per_s.value_or(0));
  }
  return device;
}

void add_roof(const Device& device, ProfileReport& report) {
  RoofProfile roof;
  roof.device = device.name;
  roof.gflops_float = device.gflops_float;
  roof.gflops_float16 = device.gflops_float16;
  roof.gflops_int8 = device.gflops_int8;
  roof.gb_per_s = device.gb_per_s;
  roof.cache_gb_per_s = device.cache_gb_per_s;
  for (NodeProfile& node : report.node_list) add_roof(device, report.time.has_value(), node, roof);
  if (report.time && report.time->kernels_ms > 0) roof.share = roof.milliseconds / report.time->kernels_ms;
  report.roof = roof;
}

}  // namespace onnxpress

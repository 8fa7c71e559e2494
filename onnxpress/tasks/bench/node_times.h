// The time of every node from ONNX Runtime's own profile, and the work of the node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/ort/kernel_times.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

struct NodeTime {
  std::string node, op;
  double seconds = 0, share = 0;
  std::optional<std::uint64_t> macs, bytes;
  std::optional<double> gflops, gbytes;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("node", &NodeTime::node, "name of the node in ONNX Runtime, after its optimizations");
    visit("op", &NodeTime::op, "operator that ran");
    visit("seconds", &NodeTime::seconds, "median time of a run");
    visit("share", &NodeTime::share, "share of the time of all nodes");
    visit("macs", &NodeTime::macs, "multiply-adds; null when not known, or when nodes were fused");
    visit("bytes", &NodeTime::bytes, "bytes read and written; null when not known");
    visit("gflops", &NodeTime::gflops, "achieved operations per second, in billions (2 for each multiply-add)");
    visit("gbytes", &NodeTime::gbytes, "achieved bytes per second, in billions");
  }
};

struct NodeTimes {
  double seconds = 0;
  std::uint64_t runs = 0, joined = 0;
  std::vector<NodeTime> nodes;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("seconds", &NodeTimes::seconds, "time of all nodes in one run");
    visit("runs", &NodeTimes::runs, "runs that were counted");
    visit("joined", &NodeTimes::joined, "nodes that were found in the model by name or by result");
    visit("nodes", &NodeTimes::nodes, "the nodes, slowest first");
  }
};

// `optimized` is the model after ONNX Runtime's optimizations, whose nodes are the kernels; `work` is the profile of
// the model.
NodeTimes node_times(const engines::KernelTimes& times, const Model& model, const Model& optimized,
                     const ProfileReport& work);

}  // namespace onnxpress

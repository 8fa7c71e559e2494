// Finds nodes that our evaluator computes differently from ONNX Runtime. Each node is evaluated with the runtime's own
// operands, so that an error is found where it arises and not where it ends up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/run/run.h"

namespace onnxpress {

// One result of one node. "Exact" is the same node evaluated in double, with the runtime's operands.
struct NodeLine {
  std::string node, op, output, type, verdict;
  std::optional<double> ours_snr, runtime_snr;  // dB, against the exact result; absent if there is no difference
  double ours_ulps = 0, runtime_ulps = 0;       // the largest distance from it, in units in the last place
  std::uint64_t different = 0;                  // elements, of integers and texts

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("node", &NodeLine::node, "name of the node");
    visit("op", &NodeLine::op, "its operator");
    visit("output", &NodeLine::output, "name of the result");
    visit("type", &NodeLine::type, "element type and shape of the result");
    visit("verdict", &NodeLine::verdict,
          "`rounding`: both are as near to the exact result as their type allows, or as each other; `ours`, `runtime`: "
          "that one is further off; `differs`: integers, texts or shapes that are not the same");
    visit("ours_snr", &NodeLine::ours_snr, "dB: our result against the exact one");
    visit("runtime_snr", &NodeLine::runtime_snr, "dB: the runtime's result against the exact one");
    visit("ours_ulps", &NodeLine::ours_ulps, "our largest distance from the exact result, in units in the last place");
    visit("runtime_ulps", &NodeLine::runtime_ulps, "the same for the runtime");
    visit("different", &NodeLine::different, "elements that differ, of integers and texts");
  }
};

// How far errors have grown at an output, when both evaluate the whole model on their own.
struct NodeOutput {
  std::string output;
  std::optional<double> snr, ours_snr, runtime_snr;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("output", &NodeOutput::output, "name of the output");
    visit("snr", &NodeOutput::snr, "dB: our result against the runtime's");
    visit("ours_snr", &NodeOutput::ours_snr, "dB: our result against the model evaluated in double");
    visit("runtime_snr", &NodeOutput::runtime_snr, "dB: the runtime's result against the model evaluated in double");
  }
};

struct NodeReport {
  std::string file, engine;
  std::uint64_t nodes = 0, compared = 0, inlined = 0, suspicious = 0;
  std::vector<NodeLine> lines;  // the suspicious ones, then those with our largest distances
  std::vector<NodeOutput> outputs;
  std::vector<std::string> skipped, assumed;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &NodeReport::file, "path of the model, as given");
    visit("engine", &NodeReport::engine, "the runtime and its version");
    visit("nodes", &NodeReport::nodes, "nodes of the main graph, with those of branches that were taken");
    visit("compared", &NodeReport::compared, "how many of them were compared");
    visit("inlined", &NodeReport::inlined, "how many If nodes were replaced by the branch that was taken");
    visit("suspicious", &NodeReport::suspicious, "results whose difference is more than rounding");
    visit("lines", &NodeReport::lines, "the suspicious results, then those with our largest distances");
    visit("outputs", &NodeReport::outputs, "how far errors have grown at the outputs");
    visit("skipped", &NodeReport::skipped, "nodes that could not be compared, with their operators");
    visit("assumed", &NodeReport::assumed, "dims that were not given and were taken as 1");
  }
};

// `engine` is the runtime. `most_lines` limits the lines that are not suspicious. Throws Error when the runtime
// cannot run the model.
NodeReport compare_nodes(const engines::Engine& engine, const Model& model, const RunOptions& options,
                         std::size_t most_lines = 10);

std::string to_json(const NodeReport& report);

}  // namespace onnxpress

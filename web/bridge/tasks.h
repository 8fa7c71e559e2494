// The tasks that the page and the npm package offer: those of the command, by the same names and with the same options.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace onnxpress::web {

struct Request {
  std::string task;
  std::vector<std::string> inputs;  // files: one, or two for diff
  std::string output;               // the file to write, for tasks that write one
  std::string options;              // JSON, by the names of the command's flags
  std::string tensor;               // for "weights": which one
  std::uint64_t graph = 0;          // for "weights": its graph, by the number in the report of task "graph"
};

using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// The report as the command prints it with --json. Throws Error.
std::string run_request(const Request& request, const Progress& progress);

// All graphs, for a drawing: nodes with operands and attributes, inputs, outputs, types, weights.
std::string graph_json(const std::string& path);
// Statistics of one weight: range, mean, and how many elements are in each of 32 equal steps.
std::string weights_json(const std::string& path, std::uint64_t graph, const std::string& tensor);

}  // namespace onnxpress::web

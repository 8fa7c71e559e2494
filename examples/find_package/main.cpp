// Opens a model and prints how many nodes it has of each op, most frequent first.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/format/read_model.h"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: count_ops model.onnx\n";
    return 2;
  }
  const onnxpress::Model model = onnxpress::format::read_model(argv[1]);

  std::map<std::string, std::size_t> counts;
  for (const onnxpress::Node& node : model.graph().nodes()) ++counts[std::string(node.op_type())];

  std::vector<std::pair<std::string, std::size_t>> rows(counts.begin(), counts.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [op, count] : rows) std::cout << count << '\t' << op << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 3;
}

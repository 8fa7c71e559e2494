// Reads a model, prints how many nodes it has of each op, shrinks it and saves the result.
#include <cstddef>
#include <exception>
#include <iostream>
#include <map>
#include <string_view>

#include "onnxpress/onnxpress.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: smaller model.onnx smaller.onnx\n";
    return 2;
  }
  onnxpress::ThreadPool two_threads(2);
  const onnxpress::UseThreads scope(two_threads);

  onnxpress::Model model = onnxpress::load_model(argv[1]);
  std::map<std::string_view, std::size_t> counts;
  for (const onnxpress::Node& node : model.graph().nodes()) ++counts[node.op_type()];
  for (const auto& [op, count] : counts) std::cout << count << '\t' << op << '\n';

  if (!onnxpress::check(model).ok) std::cerr << "warning: the model is not valid\n";
  const onnxpress::ShrinkResult result = onnxpress::shrink(model);
  std::cout << result.before << " -> " << result.after << " bytes\n";
  onnxpress::save_model(model, argv[2]);
  return 0;
} catch (const onnxpress::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 3;
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 3;
}

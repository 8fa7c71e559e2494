// Reads a model, prints how many nodes it has of each op, shrinks it and saves the result. With a third argument, such
// as int8 or auto, weights are stored in fewer bits.
#include <cstddef>
#include <exception>
#include <iostream>
#include <map>
#include <string_view>

#include "onnxpress/onnxpress.h"

int main(int argc, char** argv) try {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: smaller model.onnx smaller.onnx [weights]\n";
    return 2;
  }
  onnxpress::ThreadPool two_threads(2);
  const onnxpress::UseThreads scope(two_threads);

  onnxpress::Model model = onnxpress::load_model(argv[1]);
  std::map<std::string_view, std::size_t> counts;
  for (const onnxpress::Node& node : model.graph().nodes()) ++counts[node.op_type()];
  for (const auto& [op, count] : counts) std::cout << count << '\t' << op << '\n';

  if (!onnxpress::check(model).ok) std::cerr << "warning: the model is not valid\n";
  onnxpress::ShrinkSettings settings;
  if (argc == 4) {
    settings.weights = argv[3];
    settings.engine = onnxpress::find_engine();  // much faster than the built-in evaluator, if it finds ONNX Runtime
  }
  const onnxpress::ShrinkResult result = onnxpress::shrink(model, settings);
  if (!result.refused.empty()) {
    std::cerr << result.refused << '\n';
    return 1;
  }
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

// Reads a model, prints how many nodes it has of each op, and saves it smaller: without losing a bit or, with a third
// argument, in as few bits as keep the outputs at so many dB.
#include <cstddef>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "onnxpress/onnxpress.h"

int main(int argc, char** argv) try {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: smaller model.onnx smaller.onnx [decibels]\n";
    return 2;
  }
  onnxpress::ThreadPool two_threads(2);
  const onnxpress::UseThreads scope(two_threads);

  onnxpress::Model model = onnxpress::load_model(argv[1]);
  std::map<std::string_view, std::size_t> counts;
  for (const onnxpress::Node& node : model.graph().nodes()) ++counts[node.op_type()];
  for (const auto& [op, count] : counts) std::cout << count << '\t' << op << '\n';

  if (!onnxpress::check(model).ok) std::cerr << "warning: the model is not valid\n";
  if (argc == 3) {
    const onnxpress::ShrinkReport report = onnxpress::shrink(model);
    std::cout << report.before.total() << " -> " << report.after.total() << " bytes\n";
  } else {
    onnxpress::QuantizeOptions options;
    options.quality = std::stod(argv[3]);
    options.engine = onnxpress::find_engine();
    const onnxpress::QuantizeReport report = onnxpress::quantize(model, options);
    if (!report.refused.empty()) {
      std::cerr << report.refused << '\n';
      return 1;
    }
    std::cout << report.before.total() << " -> " << report.after.total() << " bytes\n";
  }
  onnxpress::save_model(model, argv[2]);
  return 0;
} catch (const onnxpress::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 3;
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 3;
}

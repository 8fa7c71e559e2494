// Makes a model simpler for ONNX Runtime, with its own operators, and saves it only if both compute the same.
#include <iostream>

#include "onnxpress/onnxpress.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: optimize model.onnx optimized.onnx\n";
    return 2;
  }
  const onnxpress::Model original = onnxpress::load_model(argv[1]);
  onnxpress::Model model = original.clone();  // cheap: both share the weights

  onnxpress::OptimizeOptions options;
  options.target = onnxpress::OptimizeTarget::kOrt;
  const onnxpress::OptimizeReport report = onnxpress::optimize(model, options);
  std::cout << report.nodes_before << " -> " << report.nodes_after << " nodes\n";
  for (const onnxpress::RewriteCount& each : report.rewrites)
    std::cout << each.count << " times " << each.rewrite << ": " << each.summary << '\n';

  const onnxpress::VerifyReport compared = onnxpress::verify(original, model);
  for (const onnxpress::EngineReport& engine : compared.engines)
    std::cout << "compared on " << engine.runs.size() << " sets of inputs in " << engine.engine << '\n';
  if (compared.verdict == onnxpress::Verdict::kDiffers) {
    std::cerr << "the optimized model computes something else\n";
    return 1;
  }
  onnxpress::save_model(model, argv[2]);
  return 0;
} catch (const onnxpress::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  if (!error.hint().empty()) std::cerr << "hint: " << error.hint() << '\n';
  return 3;
}

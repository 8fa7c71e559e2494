// Makes a model smaller without changing a bit of what it computes, and says what helped most.
#include <iostream>

#include "onnxpress/onnxpress.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: shrink model.onnx smaller.onnx\n";
    return 2;
  }
  onnxpress::Model model = onnxpress::load_model(argv[1]);
  const onnxpress::ShrinkReport report = onnxpress::shrink(model);
  onnxpress::save_model(model, argv[2]);

  std::cout << report.before.total() << " -> " << report.after.total() << " bytes\n";
  for (const onnxpress::MethodLine& line : report.methods) {
    if (line.saved > 0) std::cout << line.saved << " bytes by " << line.method << ": " << line.summary << '\n';
  }
  return 0;
} catch (const onnxpress::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  if (!error.hint().empty()) std::cerr << "hint: " << error.hint() << '\n';
  return 3;
}

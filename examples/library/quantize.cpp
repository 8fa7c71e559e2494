// Stores weights in as few bits as keep every output at so many decibels (with "int4": all in 4 bits, if that keeps
// it).
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "onnxpress/onnxpress.h"

int main(int argc, char** argv) try {
  const bool int4 = argc == 5 && argv[4] == std::string_view("int4");
  if (argc != 4 && !int4) {
    std::cerr << "usage: quantize model.onnx smaller.onnx decibels [int4]\n";
    return 2;
  }
  onnxpress::QuantizeOptions options;
  options.quality = std::strtod(argv[3], nullptr);
  if (int4) options.to = onnxpress::Bits::kInt4;
  options.engine = onnxpress::find_engine();  // ONNX Runtime if it is installed, else the slower built-in evaluator

  onnxpress::Model model = onnxpress::load_model(argv[1]);
  const onnxpress::QuantizeReport report = onnxpress::quantize(model, options);
  if (!report.refused.empty()) {  // the model is as it was
    std::cerr << "refused: " << report.refused << '\n';
    return 1;
  }
  onnxpress::save_model(model, argv[2]);

  std::cout << report.before.total() << " -> " << report.after.total() << " bytes, " << report.bits
            << " bits per weight\n";
  if (report.reached) std::cout << "worst output: " << *report.reached << " dB in " << report.tried << " inputs\n";
  return 0;
} catch (const onnxpress::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  if (!error.hint().empty()) std::cerr << "hint: " << error.hint() << '\n';
  return 3;
}

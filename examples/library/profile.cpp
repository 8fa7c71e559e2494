// Prints what a run of a model costs at several sizes, without running it: profile model.onnx batch=1 batch=8
#include <iostream>

#include "onnxpress/onnxpress.h"

namespace {

void print(const onnxpress::Model& model, const char* size) {
  onnxpress::ProfileOptions options;
  options.bindings.dim = {size};
  const onnxpress::ProfileReport report = onnxpress::profile(model, options);

  std::cout << size << ": ";
  if (report.macs.value)
    std::cout << (report.macs.at_least ? "at least " : "") << *report.macs.value;
  else
    std::cout << "?";  // more than 64 bits, or unknown
  std::cout << " MACs, " << report.weight_bytes << " bytes of weights, " << report.memory.pool
            << " bytes of activations at the peak\n";
  for (const onnxpress::AssumedSize& each : report.assumed)
    std::cout << "  assumed: " << each.symbol << "=" << each.size << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: profile model.onnx dim=size...\n";
    return 2;
  }
  const onnxpress::Model model = onnxpress::load_model(argv[1]);
  for (int i = 2; i < argc; ++i) print(model, argv[i]);
  return 0;
} catch (const onnxpress::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  if (!error.hint().empty()) std::cerr << "hint: " << error.hint() << '\n';
  return 3;
}

// Runs a model at three input sizes in one arena, and compares the results with those of the library's own evaluator.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <iostream>

#include "engine.h"

namespace {

// The same numbers in every run; which ones does not matter.
void fill(const View& view) {
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < view.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    view.data[i] = static_cast<float>(state >> 8) / (1 << 24) - 0.5f;
  }
}

onnxpress::NamedTensor named(std::string_view name, const View& view) {
  std::string content(static_cast<std::size_t>(view.size()) * sizeof(float), '\0');
  std::memcpy(content.data(), view.data, content.size());
  return {std::string(name),
          onnxpress::ElementType::kFloat,
          {view.shape.begin(), view.shape.end()},
          onnxpress::Bytes::owned(std::move(content)),
          {}};
}

float largest_difference(const View& got, const onnxpress::NamedTensor& expected) {
  if (!std::equal(got.shape.begin(), got.shape.end(), expected.dims.begin(), expected.dims.end())) return INFINITY;
  float most = 0;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    float wanted = 0;
    std::memcpy(&wanted, expected.content.data() + static_cast<std::size_t>(i) * sizeof(float), sizeof(float));
    most = std::max(most, std::abs(got.data[i] - wanted));
  }
  return most;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: engine model.onnxtxt\n";
    return 2;
  }
  onnxpress::Model model = onnxpress::load_model(argv[1]);
  Engine engine(model);

  const Sizes kRuns[] = {
      {{"N", 1}, {"H", 32}, {"W", 32}}, {{"N", 2}, {"H", 64}, {"W", 48}}, {{"N", 3}, {"H", 17}, {"W", 23}}};
  std::int64_t most = 0;
  for (const Sizes& sizes : kRuns) most = std::max(most, engine.bytes_for(sizes));
  engine.reserve(most);
  std::cout << "one arena of " << most << " bytes\n";

  bool all_equal = true;
  for (const Sizes& sizes : kRuns) {
    engine.resize(sizes);
    fill(engine.input(0));
    // Copy the input first, because values share memory: after the run, it may be overwritten.
    const onnxpress::NamedTensor input = named(model.graph().inputs().front()->value->name(), engine.input(0));
    engine.run();
    const float difference = largest_difference(engine.output(0), onnxpress::run(model, {input}).front());
    all_equal = all_equal && difference < 1e-5f;
    for (const auto& [symbol, size] : sizes) std::cout << symbol << '=' << size << ' ';
    std::cout << "needs " << engine.bytes_for(sizes) << " bytes, differs by at most " << difference << '\n';
  }
  return all_equal ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 3;
}

// Measures how fast a graph is read and written: 100,000 nodes with a declaration each, or ONNXPRESS_BENCH_MODEL.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/generate/generate.h"

namespace {

namespace fs = std::filesystem;
using namespace onnxpress;

fs::path model_path() {
  if (const char* given = std::getenv("ONNXPRESS_BENCH_MODEL")) return given;
  const fs::path path = fs::temp_directory_path() / "onnxpress_bench_100k.onnx";
  static const bool written = [&path] {
    GenerateOptions options;
    options.sizes.nodes = 100'000;
    options.sizes.value_info = true;
    Model model = generate_model(options);
    format::write_model(model, path);
    return true;
  }();
  benchmark::DoNotOptimize(written);
  return path;
}

void count_bytes(benchmark::State& state, const fs::path& path) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * fs::file_size(path)));
}

void read(benchmark::State& state) {
  const fs::path path = model_path();
  for (auto _ : state) benchmark::DoNotOptimize(format::read_model(path));
  count_bytes(state, path);
}
BENCHMARK(read)->Unit(benchmark::kMillisecond);

// Nothing changed, so the file is copied. (Includes syncing, as every write does.)
void write_unchanged(benchmark::State& state) {
  const fs::path path = model_path();
  Model model = format::read_model(path);
  for (auto _ : state) format::write_model(model, path.string() + ".out");
  count_bytes(state, path);
}
BENCHMARK(write_unchanged)->Unit(benchmark::kMillisecond);

// Everything changed, so every message is encoded.
void write_anew(benchmark::State& state) {
  const fs::path path = model_path();
  Model model = format::read_model(path);
  for (auto _ : state) format::write_model(model, path.string() + ".out", {.encode_anew = true});
  count_bytes(state, path);
}
BENCHMARK(write_anew)->Unit(benchmark::kMillisecond);

}  // namespace

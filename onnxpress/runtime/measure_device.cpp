// Two tiny models: one that is all arithmetic, one that is all memory traffic.
#include "onnxpress/runtime/measure_device.h"

#include <algorithm>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/generate/generate_builder.h"
#include "onnxpress/tasks/inputs/random_input.h"

namespace onnxpress::runtime {

namespace {

constexpr std::uint64_t kRuns = 6;

// The time of `op` on two operands of these dims, in seconds: of its kernel, without what surrounds it.
double seconds_of(const std::shared_ptr<const OnnxRuntime>& runtime, int threads, const char* op,
                  std::initializer_list<std::int64_t> dims) {
  const tasks::GenerateOptions options;
  Model model = tasks::empty_model(options, op);
  tasks::ModelBuilder builder(model, options);
  std::vector<Dim> sizes;
  for (const std::int64_t each : dims) sizes.push_back(Dim::size(each));
  const Type* type = builder.type(sizes);
  Value* a = builder.input("a", type);
  Value* b = builder.input("b", type);
  builder.output(builder.node(op, "node", {a, b}, {}, "y"), type);
  const TemporaryFolder folder(std::filesystem::temp_directory_path());
  const std::filesystem::path path = folder.path() / "model.onnx";
  format::write_model(model, path.string(), {});
  const analysis::Facts facts(model);
  const KernelTimes times = time_kernels(runtime, path, tasks::made_inputs(model, facts, {}, 1), {kRuns, threads},
                                         folder.path() / "optimized.onnx");
  double microseconds = 0;
  for (const KernelTime& each : times.kernels) microseconds = std::max(microseconds, each.microseconds);
  if (microseconds <= 0) throw Error("", "ONNX Runtime gave no time for a kernel", "name a device instead");
  return microseconds / 1e6;
}

}  // namespace

tasks::Device measure_device(const std::shared_ptr<const OnnxRuntime>& runtime, int threads) {
  constexpr std::int64_t kSide = 1024, kLength = 4'000'000;
  tasks::Device device;
  device.name = "this machine";
  device.gflops_float = 2.0 * kSide * kSide * kSide / seconds_of(runtime, threads, "MatMul", {kSide, kSide}) / 1e9;
  device.gb_per_s = 3.0 * 4 * kLength / seconds_of(runtime, threads, "Add", {kLength}) / 1e9;
  return device;
}

}  // namespace onnxpress::runtime

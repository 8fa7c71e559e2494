// Runs tiny models that are all arithmetic or all memory traffic. The best of several runs counts, because the result
// is an upper bound.
#include "onnxpress/tasks/profile/measure_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress {

namespace {

constexpr std::uint64_t kRuns = 12;

// The time of `op` on two operands of this type, in seconds: only the kernel, without the overhead of a run.
double seconds_of(const std::shared_ptr<const engines::OnnxRuntime>& runtime, int threads, std::string_view op,
                  std::string_view operands, std::string_view result) {
  const std::string text =
      fmt::format("<ir_version: 8, opset_import: [\"\" : 17]>\ng ({1} a, {1} b) => ({2} y) {{ y = {0} (a, b) }}", op,
                  operands, result);
  Model model = text::parse_model(text);
  const TemporaryFolder folder(std::filesystem::temp_directory_path());
  const std::filesystem::path path = folder.path() / "model.onnx";
  save_checked(model, {.output = path.string(), .read_back = false});
  const analysis::Facts facts(model);
  const engines::KernelTimes times = engines::time_kernels(runtime, path, inputs::made_inputs(model, facts, {}, 1),
                                                           {kRuns, threads}, folder.path() / "optimized.onnx");
  double microseconds = 0;
  for (const engines::KernelTime& each : times.kernels) microseconds = std::max(microseconds, each.least);
  if (microseconds <= 0) throw Error("", "ONNX Runtime reported no time for a kernel", "name a device instead");
  return microseconds / 1e6;
}

}  // namespace

Device measure_device(const std::shared_ptr<const engines::OnnxRuntime>& runtime, int threads) {
  constexpr double kProduct = 2.0 * 1024 * 1024 * 1024, kLong = 3.0 * 4 * 4'000'000, kShort = 3.0 * 4 * 100'000;
  Device device;
  device.name = "this machine";
  const auto rate = [&](double amount, std::string_view op, std::string_view operands, std::string_view result) {
    return amount / seconds_of(runtime, threads, op, operands, result) / 1e9;
  };
  device.gflops_float = rate(kProduct, "MatMul", "float[1024,1024]", "float[1024,1024]");
  device.gflops_int8 =
      std::max(device.gflops_float, rate(kProduct, "MatMulInteger", "uint8[1024,1024]", "int32[1024,1024]"));
  device.gb_per_s = rate(kLong, "Add", "float[4000000]", "float[4000000]");
  device.cache_gb_per_s = rate(kShort, "Add", "float[100000]", "float[100000]");
  return device;
}

}  // namespace onnxpress

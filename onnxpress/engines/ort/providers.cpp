// CUDA has its own functions in the C interface; all other providers share one.
#include "onnxpress/engines/ort/providers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "onnxpress/base/error.h"

namespace onnxpress::engines {

namespace {

constexpr std::string_view kEnding = "ExecutionProvider";

std::string lower_name(std::string_view name) {
  std::string small;
  for (const char c : name) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

std::string_view short_name(std::string_view provider) {
  if (provider.ends_with(kEnding)) provider.remove_suffix(kEnding.size());
  return provider;
}

}  // namespace

std::vector<std::string> available_providers(const OnnxRuntime& runtime) {
  char** names = nullptr;
  int count = 0;
  runtime.call<abi::AvailableProviders>(&names, &count);
  std::vector<std::string> all(names, names + count);
  runtime.call<abi::FreeProviders>(names, count);
  return all;
}

std::string find_provider(const OnnxRuntime& runtime, const std::string& wanted) {
  if (wanted.empty()) return {};
  std::vector<std::string> known;
  for (const std::string& each : available_providers(runtime)) {
    const std::string name = lower_name(short_name(each));
    if (name == lower_name(wanted) || each == wanted) return name == "cpu" ? std::string() : each;
    known.push_back(name);
  }
  throw Error("", fmt::format("ONNX Runtime {} has no provider {}", runtime.version(), quote_name(wanted)),
              fmt::format("it has {}; other providers are in separate packages, such as onnxruntime-gpu",
                          fmt::join(known, ", ")));
}

void append_provider(const std::shared_ptr<const OnnxRuntime>& runtime, const SessionOptionsHandle& options,
                     const std::string& provider) {
  if (provider.empty()) return;
  const std::string_view name = short_name(provider);
  if (name == "CUDA") {
    CudaOptionsHandle cuda(runtime);
    runtime->call<abi::CreateCudaOptions>(cuda.out());
    runtime->call<abi::AppendCuda>(options.get(), cuda.get());
    return;
  }
  if (!runtime->has_version(abi::kVersionWithProviders))
    throw Error("",
                fmt::format("this version of ONNX Runtime ({}) cannot be told to use {}", runtime->version(), provider),
                "use ONNX Runtime 1.12 or later");
  // The spelling that the function expects.
  const std::string given(name == "Xnnpack" ? "XNNPACK" : name == "Azure" ? "AZURE" : name);
  runtime->call<abi::AppendProvider>(options.get(), given.c_str(), nullptr, nullptr, std::size_t{0});
}

}  // namespace onnxpress::engines

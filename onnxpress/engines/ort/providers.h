// Execution providers of ONNX Runtime: parts of it that compute on a processor, a graphics card or another device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "onnxpress/engines/ort/onnx_runtime.h"

namespace onnxpress::engines {

// "CUDAExecutionProvider", "CPUExecutionProvider": those that this library was built with.
std::vector<std::string> available_providers(const OnnxRuntime& runtime);

// The full name of a provider that is given as "cuda" or by its full name; empty for the CPU, which is always
// available. Throws Error when the library does not have it.
std::string find_provider(const OnnxRuntime& runtime, const std::string& wanted);

// Sessions with these options run what they can on the provider, and the rest on the CPU. Throws Error when the
// provider cannot start.
void append_provider(const std::shared_ptr<const OnnxRuntime>& runtime, const SessionOptionsHandle& options,
                     const std::string& provider);

}  // namespace onnxpress::engines

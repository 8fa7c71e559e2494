// Session: a model in ONNX Runtime, and arrays in and out of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/runtime/onnx_runtime.h"

namespace onnxpress::runtime {

// ONNX Runtime's own optimizations. kOff: the graph runs as the file has it.
enum class OrtLevel : std::uint8_t { kOff, kBasic, kExtended, kAll };

struct SessionSettings {
  OrtLevel level = OrtLevel::kAll;
  // Packing weights when a model is loaded picks other kernels, which round differently, for weights of the graph
  // itself than for those of a graph two bodies further out. Off, where bits are compared.
  bool pack_weights = true;
  int threads = 0;  // 0: as many as it thinks fit
  // Threads wait for each other in a loop, which is fast on an idle machine. Two sessions that run in turns take the
  // processor from each other so.
  bool spins = true;
  const char* profile_prefix =
      nullptr;           // where the runtime writes its own profile when the session ends; null: nowhere
  std::string provider;  // who computes, as find_provider() names it; empty: the processor
  const char* optimized_path = nullptr;  // where it writes the model as it changed it; null: nowhere
};

// An input or output as ONNX Runtime sees it.
struct Port {
  std::string name;
  abi::Kind kind = abi::kUnknown;
  ElementType element = ElementType::kUndefined;  // of a tensor
  std::vector<std::int64_t> dims;                 // of a tensor; -1 where open
  std::vector<std::string> symbols;               // as many; empty for a size and for an open dim without a name
};

class Session {
 public:
  using Inputs = std::vector<std::pair<std::string, ops::Array>>;

  // Throw Error with ONNX Runtime's message when it refuses the model. External data is looked up next to the file.
  Session(std::shared_ptr<const OnnxRuntime> runtime, const std::filesystem::path& model,
          const SessionSettings& settings = {});
  Session(std::shared_ptr<const OnnxRuntime> runtime, std::string_view encoded, const SessionSettings& settings = {});

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  // All outputs in their order. Throws Error when it cannot run, and for outputs that are no tensors, sequences, maps
  // or optionals of these.
  std::vector<ops::Datum> run(const Inputs& inputs) const;
  // The file of the profile, which is complete now. Throws Error.
  std::string end_profile();

 private:
  explicit Session(std::shared_ptr<const OnnxRuntime> runtime);
  SessionOptionsHandle options_for(const SessionSettings& settings) const;
  void list_ports();

  std::shared_ptr<const OnnxRuntime> runtime_;
  SessionHandle session_;
  std::vector<Port> inputs_, outputs_;
};

}  // namespace onnxpress::runtime

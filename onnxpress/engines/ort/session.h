// OrtSession: a model in ONNX Runtime, and arrays in and out of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/engines/ort/onnx_runtime.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::engines {

// ONNX Runtime's own optimizations. kOff: the graph runs as the file has it.
enum class OrtLevel : std::uint8_t { kOff, kBasic, kExtended, kAll };

struct SessionSettings {
  OrtLevel level = OrtLevel::kAll;
  // When the runtime packs weights while loading, it picks different kernels, which round differently, for weights of
  // the graph itself and for those of a graph two bodies further out. So this must be off to compare bits.
  bool pack_weights = true;
  int threads = 0;  // 0: the runtime decides
  // Threads wait for each other in a busy loop. That is fast on an idle machine, but sessions that run in turns slow
  // each other down.
  bool spins = true;
  const char* profile_prefix = nullptr;  // where the runtime writes its own profile when the session ends; may be null
  std::string provider;                  // the provider that computes, as find_provider() names it; empty: CPU
  const char* optimized_path = nullptr;  // where it writes the optimized model; may be null
};

// An input or output as ONNX Runtime sees it.
struct Port {
  std::string name;
  abi::Kind kind = abi::kUnknown;
  ElementType element = ElementType::kUndefined;  // of a tensor
  std::vector<std::int64_t> dims;                 // of a tensor; -1 where open
  std::vector<std::string> symbols;               // one per dim; empty for a size and for an open dim without a name
};

class OrtSession {
 public:
  using Inputs = std::vector<std::pair<std::string, ops::Array>>;

  // Throw Error with ONNX Runtime's message when it rejects the model. External data is looked up next to the file.
  OrtSession(std::shared_ptr<const OnnxRuntime> runtime, const std::filesystem::path& model,
             const SessionSettings& settings = {});
  OrtSession(std::shared_ptr<const OnnxRuntime> runtime, std::string_view encoded,
             const SessionSettings& settings = {});

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  // Returns all outputs in order. Throws Error when the model cannot run, and for outputs that are not tensors,
  // sequences, maps or optionals of these.
  std::vector<ops::Datum> run(const Inputs& inputs) const;
  // Ends the profile and returns the path of its file. Throws Error.
  std::string end_profile();

 private:
  explicit OrtSession(std::shared_ptr<const OnnxRuntime> runtime);
  SessionOptionsHandle options_for(const SessionSettings& settings) const;
  void list_ports();

  std::shared_ptr<const OnnxRuntime> runtime_;
  SessionHandle session_;
  std::vector<Port> inputs_, outputs_;
};

}  // namespace onnxpress::engines

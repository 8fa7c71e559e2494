// Loads a model into ONNX Runtime, lists its ports and runs it.
#include "onnxpress/engines/ort/session.h"

#include "onnxpress/engines/ort/providers.h"
#include "onnxpress/engines/ort/values.h"

namespace onnxpress::engines {

namespace {

void read_tensor_type(const OnnxRuntime& runtime, const abi::TensorInfo* info, Port& port) {
  int element = 0;
  std::size_t rank = 0;
  runtime.call<abi::ElementOf>(info, &element);
  runtime.call<abi::RankOf>(info, &rank);
  port.element = element_of_number(element);
  port.dims.resize(rank);
  std::vector<const char*> symbols(rank);
  if (rank > 0) {
    runtime.call<abi::DimsOf>(info, port.dims.data(), rank);
    runtime.call<abi::SymbolsOf>(info, symbols.data(), rank);
  }
  for (const char* symbol : symbols) port.symbols.emplace_back(symbol ? symbol : "");
}

template <typename Count, typename Name, typename Type>
std::vector<Port> ports(const std::shared_ptr<const OnnxRuntime>& runtime, const abi::Session* session) {
  std::size_t count = 0;
  runtime->call<Count>(session, &count);
  abi::Allocator* allocator = nullptr;
  runtime->call<abi::DefaultAllocator>(&allocator);
  std::vector<Port> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    runtime->call<Name>(session, i, allocator, &name);
    all[i].name = name;
    runtime->call<abi::Free>(allocator, name);
    TypeInfoHandle type(runtime);
    runtime->call<Type>(session, i, type.out());
    int kind = abi::kUnknown;
    runtime->call<abi::KindOfType>(type.get(), &kind);
    all[i].kind = static_cast<abi::Kind>(kind);
    const abi::TensorInfo* tensor = nullptr;
    runtime->call<abi::AsTensorInfo>(type.get(), &tensor);
    if (tensor) read_tensor_type(*runtime, tensor, all[i]);
  }
  return all;
}

}  // namespace

OrtSession::OrtSession(std::shared_ptr<const OnnxRuntime> runtime) : runtime_(std::move(runtime)), session_(runtime_) {}

OrtSession::OrtSession(std::shared_ptr<const OnnxRuntime> runtime, const std::filesystem::path& model,
                       const SessionSettings& settings)
    : OrtSession(std::move(runtime)) {
  const SessionOptionsHandle options = options_for(settings);
  runtime_->call<abi::CreateSession>(runtime_->env(), model.c_str(), options.get(), session_.out());
  list_ports();
}

OrtSession::OrtSession(std::shared_ptr<const OnnxRuntime> runtime, std::string_view encoded,
                       const SessionSettings& settings)
    : OrtSession(std::move(runtime)) {
  const SessionOptionsHandle options = options_for(settings);
  runtime_->call<abi::CreateSessionFromArray>(runtime_->env(), encoded.data(), encoded.size(), options.get(),
                                              session_.out());
  list_ports();
}

SessionOptionsHandle OrtSession::options_for(const SessionSettings& settings) const {
  SessionOptionsHandle options(runtime_);
  runtime_->call<abi::CreateSessionOptions>(options.out());
  runtime_->call<abi::SetLogSeverity>(options.get(), abi::kOnlyFatalMessages);
  constexpr int kLevels[] = {abi::kOptimizationsOff, abi::kBasicOptimizations, abi::kExtendedOptimizations,
                             abi::kAllOptimizations};
  runtime_->call<abi::SetOptimizationLevel>(options.get(), kLevels[static_cast<std::size_t>(settings.level)]);
  if (settings.threads > 0) runtime_->call<abi::SetThreads>(options.get(), settings.threads);
  if (settings.profile_prefix) runtime_->call<abi::EnableProfiling>(options.get(), settings.profile_prefix);
  if (settings.optimized_path) runtime_->call<abi::SetOptimizedPath>(options.get(), settings.optimized_path);
  if (!settings.pack_weights) runtime_->call<abi::AddConfig>(options.get(), "session.disable_prepacking", "1");
  if (!settings.spins) runtime_->call<abi::AddConfig>(options.get(), "session.intra_op.allow_spinning", "0");
  append_provider(runtime_, options, settings.provider);
  return options;
}

void OrtSession::list_ports() {
  inputs_ = ports<abi::InputCount, abi::InputName, abi::InputType>(runtime_, session_.get());
  outputs_ = ports<abi::OutputCount, abi::OutputName, abi::OutputType>(runtime_, session_.get());
}

std::string OrtSession::end_profile() {
  abi::Allocator* allocator = nullptr;
  runtime_->call<abi::DefaultAllocator>(&allocator);
  char* name = nullptr;
  runtime_->call<abi::EndProfiling>(session_.get(), allocator, &name);
  std::string path = name ? name : "";
  runtime_->call<abi::Free>(allocator, name);
  return path;
}

std::vector<ops::Datum> OrtSession::run(const Inputs& inputs) const {
  std::vector<GivenValue> given;
  std::vector<const char*> input_names, output_names;
  std::vector<const abi::Value*> values;
  given.reserve(inputs.size());
  for (const auto& [name, array] : inputs) {
    given.push_back(given_value(runtime_, array));
    input_names.push_back(name.c_str());
    values.push_back(given.back().value.get());
  }
  std::vector<ValueHandle> results;
  results.reserve(outputs_.size());
  std::vector<abi::Value*> raw(outputs_.size());
  for (const Port& port : outputs_) output_names.push_back(port.name.c_str());
  runtime_->call<abi::Run>(session_.get(), nullptr, input_names.data(), values.data(), values.size(),
                           output_names.data(), output_names.size(), raw.data());
  for (abi::Value* value : raw) {
    results.emplace_back(runtime_);
    *results.back().out() = value;
  }
  std::vector<ops::Datum> data;
  data.reserve(results.size());
  for (const ValueHandle& result : results) data.push_back(datum_of(runtime_, result.get()));
  return data;
}

}  // namespace onnxpress::engines

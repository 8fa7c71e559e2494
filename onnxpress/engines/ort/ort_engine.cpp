// Loads a model into ONNX Runtime: from its file if there is one, otherwise from its encoded form.
#include "onnxpress/engines/ort/ort_engine.h"

#include <algorithm>
#include <cctype>

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/engines/ort/providers.h"
#include "onnxpress/engines/ort/session.h"
#include "onnxpress/format/write_model.h"

namespace onnxpress::engines {

namespace {

constexpr std::uint64_t kMostInMemory = std::uint64_t{1} << 30;  // safely below the limit of a protobuf message, 2 GiB

// Can the runtime read the model from its own file? Text and JSON it cannot.
bool is_onnx_file(const Model& model) {
  std::string ending = model.path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return !model.changed() && ending == ".onnx";
}

class OrtModel : public Session {
 public:
  OrtModel(std::unique_ptr<TemporaryFolder> folder, OrtSession session)
      : folder_(std::move(folder)), session_(std::move(session)) {}

  std::vector<ops::Datum> run(const NamedArrays& inputs) override { return session_.run(inputs); }

 private:
  std::unique_ptr<TemporaryFolder> folder_;  // kept, because external data may be mapped
  OrtSession session_;
};

class OrtEngine : public Engine {
 public:
  OrtEngine(std::shared_ptr<const OnnxRuntime> runtime, std::string provider) : runtime_(std::move(runtime)) {
    settings_.level = OrtLevel::kOff;
    settings_.pack_weights = settings_.spins = false;
    settings_.provider = std::move(provider);
  }

  std::string name() const override {
    return "ONNX Runtime " + runtime_->version() + (settings_.provider.empty() ? "" : " (" + settings_.provider + ")");
  }

  std::unique_ptr<Session> open(Model& model) const override {
    if (is_onnx_file(model)) return std::make_unique<OrtModel>(nullptr, OrtSession(runtime_, model.path, settings_));
    const format::EncodedSize size = format::encoded_size(model);
    if (size.external == 0 && size.message < kMostInMemory) {
      const std::string encoded = format::encode_model(model);
      return std::make_unique<OrtModel>(nullptr, OrtSession(runtime_, std::string_view(encoded), settings_));
    }
    auto folder = std::make_unique<TemporaryFolder>(std::filesystem::temp_directory_path());
    const std::filesystem::path path = folder->path() / "model.onnx";
    format::WriteOptions options;
    if (size.total() < kMostInMemory) options.weights = format::WriteOptions::Weights::kSingleFile;
    format::write_model(model, path, options);
    return std::make_unique<OrtModel>(std::move(folder), OrtSession(runtime_, path, settings_));
  }

 private:
  std::shared_ptr<const OnnxRuntime> runtime_;
  SessionSettings settings_;
};

}  // namespace

std::shared_ptr<const Engine> ort_engine(std::shared_ptr<const OnnxRuntime> runtime, const std::string& provider) {
  std::string found = find_provider(*runtime, provider);
  return std::make_shared<OrtEngine>(std::move(runtime), std::move(found));
}

}  // namespace onnxpress::engines

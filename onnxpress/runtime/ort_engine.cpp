// Loads a model into ONNX Runtime: from its file if there is one, otherwise from its encoded form.
#include "onnxpress/runtime/ort_engine.h"

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/runtime/providers.h"
#include "onnxpress/runtime/session.h"
#include "onnxpress/tasks/inputs/load_model.h"

namespace onnxpress::runtime {

namespace {

constexpr std::uint64_t kMostInMemory = std::uint64_t{1} << 30;  // safely below the limit of a protobuf message, 2 GiB

class OrtModel : public tasks::RunnableModel {
 public:
  OrtModel(std::unique_ptr<TemporaryFolder> folder, Session session)
      : folder_(std::move(folder)), session_(std::move(session)) {}

  std::vector<ops::Datum> run(const tasks::NamedArrays& inputs) override { return session_.run(inputs); }

 private:
  std::unique_ptr<TemporaryFolder> folder_;  // kept, because external data may be mapped
  Session session_;
};

class OrtEngine : public tasks::Engine {
 public:
  OrtEngine(std::shared_ptr<const OnnxRuntime> runtime, std::string provider) : runtime_(std::move(runtime)) {
    settings_.level = OrtLevel::kOff;
    settings_.pack_weights = settings_.spins = false;
    settings_.provider = std::move(provider);
  }

  std::string name() const override {
    return "ONNX Runtime " + runtime_->version() + (settings_.provider.empty() ? "" : " (" + settings_.provider + ")");
  }

  std::unique_ptr<tasks::RunnableModel> open(Model& model) const override {
    const bool is_file =
        !model.changed() && !model.path.empty() && tasks::format_of_name(model.path) == tasks::ModelFormat::kOnnx;
    if (is_file) return std::make_unique<OrtModel>(nullptr, Session(runtime_, model.path, settings_));
    const format::EncodedSize size = format::encoded_size(model);
    if (size.external == 0 && size.message < kMostInMemory) {
      const std::string encoded = format::encode_model(model);
      return std::make_unique<OrtModel>(nullptr, Session(runtime_, std::string_view(encoded), settings_));
    }
    auto folder = std::make_unique<TemporaryFolder>(std::filesystem::temp_directory_path());
    const std::filesystem::path path = folder->path() / "model.onnx";
    format::WriteOptions options;
    if (size.total() < kMostInMemory) options.weights = format::WriteOptions::Weights::kSingleFile;
    format::write_model(model, path, options);
    return std::make_unique<OrtModel>(std::move(folder), Session(runtime_, path, settings_));
  }

 private:
  std::shared_ptr<const OnnxRuntime> runtime_;
  SessionSettings settings_;
};

}  // namespace

std::shared_ptr<const tasks::Engine> ort_engine(std::shared_ptr<const OnnxRuntime> runtime,
                                                const std::string& provider) {
  std::string found = find_provider(*runtime, provider);
  return std::make_shared<OrtEngine>(std::move(runtime), std::move(found));
}

namespace {

// A library that cannot be used counts as missing, unless the user asked for ONNX Runtime.
std::shared_ptr<const OnnxRuntime> wished_runtime(const EngineWish& wish) {
  if (wish.library.empty()) return OnnxRuntime::find();
  try {
    return OnnxRuntime::open(wish.library);
  } catch (const Error&) {
    if (wish.runtime) throw;
    return nullptr;
  }
}

}  // namespace

tasks::Engines engines_for(const EngineWish& wish) {
  using tasks::RuntimeChoice;
  if (wish.runtime == RuntimeChoice::kOnnxpress) return {tasks::own_engine()};
  auto runtime = wished_runtime(wish);
  if (!runtime && !wish.runtime && wish.provider.empty()) return {tasks::own_engine()};
  if (!runtime) throw Error("", "no ONNX Runtime was found", kHowToGet);
  tasks::Engines engines{ort_engine(std::move(runtime), wish.provider)};
  if (wish.runtime == RuntimeChoice::kBoth) engines.push_back(tasks::own_engine());
  return engines;
}

}  // namespace onnxpress::runtime

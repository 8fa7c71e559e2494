// Loads a model into ONNX Runtime: from its file if that is still what the model is, otherwise from its encoded form.
#include "onnxpress/engines/ort/ort_engine.h"

#include <algorithm>
#include <cctype>

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/engines/ort/providers.h"
#include "onnxpress/engines/ort/session.h"
#include "onnxpress/engines/random_ops.h"
#include "onnxpress/format/write_model.h"

namespace onnxpress::engines {

namespace {

namespace fs = std::filesystem;

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
  OrtEngine(std::shared_ptr<const OnnxRuntime> runtime, std::string provider)
      : runtime_(std::move(runtime)), provider_(std::move(provider)) {}

  std::string name() const override {
    return "ONNX Runtime " + runtime_->version() + (provider_.empty() ? "" : " (" + provider_ + ")");
  }

  std::unique_ptr<Session> open(const Model& model, const EngineSettings& settings) const override;

  std::unique_ptr<OrtModel> load(const Model& model, const EngineSettings& settings) const;

 private:
  SessionSettings settings_for(const EngineSettings& settings) const {
    SessionSettings wanted;
    wanted.level = settings.optimize ? OrtLevel::kAll : OrtLevel::kOff;
    wanted.pack_weights = settings.pack_weights;
    wanted.threads = settings.threads;
    // Threads that spin while they wait for each other waste half of the CPU time for models with small layers, and
    // most of it on a busy machine.
    wanted.spins = false;
    wanted.provider = provider_;
    return wanted;
  }
  std::unique_ptr<OrtModel> load_from(const fs::path& beside, const Model& model, const EngineSettings& settings) const;

  std::shared_ptr<const OnnxRuntime> runtime_;
  std::string provider_;
};

// Random numbers depend on those drawn before, so each run gets its own session.
class SeededModel : public Session {
 public:
  SeededModel(const OrtEngine& engine, const Model& model, const EngineSettings& settings)
      : engine_(engine), model_(model.clone()), settings_(settings) {
    set_seeds(model_);
  }

  std::vector<ops::Datum> run(const NamedArrays& inputs) override {
    return engine_.load(model_, settings_)->run(inputs);
  }

 private:
  OrtEngine engine_;
  Model model_;
  EngineSettings settings_;
};

std::unique_ptr<Session> OrtEngine::open(const Model& model, const EngineSettings& settings) const {
  if (settings.seed_random && random_ops_of(model, analysis::OpResolver(model)) != RandomOps::kNone)
    return std::make_unique<SeededModel>(*this, model, settings);
  return load(model, settings);
}

// ONNX Runtime maps weights that are in a separate file, but copies those inside the model twice.
std::unique_ptr<OrtModel> OrtEngine::load(const Model& model, const EngineSettings& settings) const {
  // A protobuf message has at most 2 GiB.
  constexpr std::uint64_t kMostCopied = std::uint64_t{1} << 26, kMostInMemory = std::uint64_t{1} << 30;
  if (!settings.encode_anew && is_onnx_file(model))
    return std::make_unique<OrtModel>(nullptr, OrtSession(runtime_, model.path, settings_for(settings)));
  const std::uint64_t bytes = format::encoded_size(model).total();
  const bool in_memory = model.external_files.empty() && bytes < kMostInMemory;
  const fs::path fast = in_memory && bytes >= kMostCopied ? memory_folder() : fs::path();
  if (!fast.empty()) {
    try {
      return load_from(fast, model, settings);
    } catch (const Error&) {  // not enough room there, or the model was rejected: try the ways below
    }
  }
  if (!in_memory) return load_from(fs::temp_directory_path(), model, settings);
  const std::string encoded = format::encode_model(model, settings.encode_anew);
  return std::make_unique<OrtModel>(nullptr, OrtSession(runtime_, std::string_view(encoded), settings_for(settings)));
}

std::unique_ptr<OrtModel> OrtEngine::load_from(const fs::path& beside, const Model& model,
                                               const EngineSettings& settings) const {
  auto folder = std::make_unique<TemporaryFolder>(beside);
  const fs::path path = folder->path() / "model.onnx";
  Model copy = model.clone();  // may get names
  format::write_model(copy, path,
                      {.weights = format::WriteOptions::Weights::kExternal, .encode_anew = settings.encode_anew});
  return std::make_unique<OrtModel>(std::move(folder), OrtSession(runtime_, path, settings_for(settings)));
}

}  // namespace

std::shared_ptr<const Engine> ort_engine(std::shared_ptr<const OnnxRuntime> runtime, const std::string& provider) {
  std::string found = find_provider(*runtime, provider);
  return std::make_shared<OrtEngine>(std::move(runtime), std::move(found));
}

}  // namespace onnxpress::engines

// Hands a model to ONNX Runtime: its file where that is what we have, else its encoded form.
#include "onnxpress/runtime/ort_engine.h"

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/runtime/session.h"
#include "onnxpress/tasks/inputs/load_model.h"

namespace onnxpress::runtime {

namespace {

const SessionSettings kAsWritten = {.level = OrtLevel::kOff, .pack_weights = false, .spins = false};
constexpr std::uint64_t kMostInMemory = std::uint64_t{1} << 30;  // a protobuf message ends at 2 GiB

class OrtModel : public tasks::RunnableModel {
 public:
  OrtModel(std::unique_ptr<TemporaryFolder> folder, Session session)
      : folder_(std::move(folder)), session_(std::move(session)) {}

  std::vector<ops::Datum> run(const tasks::NamedArrays& inputs) override { return session_.run(inputs); }

 private:
  std::unique_ptr<TemporaryFolder> folder_;  // external data may be mapped
  Session session_;
};

class OrtEngine : public tasks::Engine {
 public:
  explicit OrtEngine(std::shared_ptr<const OnnxRuntime> runtime) : runtime_(std::move(runtime)) {}

  std::string name() const override { return "ONNX Runtime " + runtime_->version(); }

  std::unique_ptr<tasks::RunnableModel> open(Model& model) const override {
    const bool is_file =
        !model.changed() && !model.path.empty() && tasks::format_of_name(model.path) == tasks::ModelFormat::kOnnx;
    if (is_file) return std::make_unique<OrtModel>(nullptr, Session(runtime_, model.path, kAsWritten));
    const format::EncodedSize size = format::encoded_size(model);
    if (size.external == 0 && size.message < kMostInMemory) {
      const std::string encoded = format::encode_model(model);
      return std::make_unique<OrtModel>(nullptr, Session(runtime_, std::string_view(encoded), kAsWritten));
    }
    auto folder = std::make_unique<TemporaryFolder>(std::filesystem::temp_directory_path());
    const std::filesystem::path path = folder->path() / "model.onnx";
    format::WriteOptions options;
    if (size.total() < kMostInMemory) options.weights = format::WriteOptions::Weights::kSingleFile;
    format::write_model(model, path, options);
    return std::make_unique<OrtModel>(std::move(folder), Session(runtime_, path, kAsWritten));
  }

 private:
  std::shared_ptr<const OnnxRuntime> runtime_;
};

}  // namespace

std::shared_ptr<const tasks::Engine> ort_engine(std::shared_ptr<const OnnxRuntime> runtime) {
  return std::make_shared<OrtEngine>(std::move(runtime));
}

tasks::Engines engines_for(std::optional<tasks::RuntimeChoice> choice) {
  using tasks::RuntimeChoice;
  if (choice == RuntimeChoice::kOnnxpress) return {tasks::own_engine()};
  auto runtime = OnnxRuntime::find();
  if (!runtime && !choice) return {tasks::own_engine()};
  if (!runtime) throw Error("", "no ONNX Runtime was found", kHowToGet);
  if (choice == RuntimeChoice::kBoth) return {ort_engine(std::move(runtime)), tasks::own_engine()};
  return {ort_engine(std::move(runtime))};
}

}  // namespace onnxpress::runtime

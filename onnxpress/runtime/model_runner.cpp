// Encodes the model and opens it as ONNX Runtime would open its file.
#include "onnxpress/runtime/model_runner.h"

#include "onnxpress/base/error.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/runtime/session.h"

namespace onnxpress::runtime {

tasks::ModelRunner session_runner(const std::shared_ptr<const OnnxRuntime>& runtime) {
  const auto load = [runtime](Model& model, std::string& why) -> tasks::RunLoaded {
    std::shared_ptr<const Session> session;
    try {
      // ONNX Runtime has no folder to look for external data in.
      if (!model.external_files.empty()) {
        why = "the weights are in external files";
        return {};
      }
      const std::string encoded = format::encode_model(model);
      session = std::make_shared<const Session>(runtime, std::string_view(encoded),
                                                SessionSettings{.optimize = false, .pack_weights = false});
    } catch (const Error& error) {
      why = error.message();
      return {};
    }
    return [session](const tasks::NamedArrays& inputs, std::string& reason) -> std::optional<std::vector<ops::Datum>> {
      try {
        return session->run(inputs);
      } catch (const Error& error) {
        reason = error.message();
        return std::nullopt;
      }
    };
  };
  return {"ONNX Runtime " + runtime->version(), load, true};
}

}  // namespace onnxpress::runtime

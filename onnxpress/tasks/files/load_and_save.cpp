// load_model() and save_model(): the same code as for the command, with memory instead of standard input and output.
#include <memory>
#include <string>

#include "onnxpress/files.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

Model load_model(const std::filesystem::path& path, const LoadOptions& options) {
  return open_model(path.string(), options).model;
}

Model load_model(const Bytes& content, const LoadOptions& options) {
  LoadOptions of_memory = options;
  of_memory.standard_input = std::make_shared<StandardInput>(content);
  return open_model("-", of_memory).model;
}

ConvertReport save_model(Model& model, const std::filesystem::path& path, const ConvertOptions& options) {
  return save_as(model, path.string(), options, {});
}

Bytes save_model(Model& model, ModelForm form) {
  std::string content;
  SaveRequest request{.output = "-", .weights = Placement::kSingleFile};
  request.form.format = form;
  request.standard_output = [&content](std::string_view piece) { content += piece; };
  save_checked(model, request);
  return Bytes::owned(std::move(content));
}

}  // namespace onnxpress

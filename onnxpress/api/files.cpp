// Loads and saves models with the same tasks as the command, using memory instead of standard input and output.
#include "onnxpress/api/files.h"

#include <memory>
#include <string>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

namespace {

tasks::ModelFormat format_of(ModelForm form) {
  switch (form) {
    case ModelForm::kText:
      return tasks::ModelFormat::kText;
    case ModelForm::kJson:
      return tasks::ModelFormat::kJson;
    case ModelForm::kOnnx:
      break;
  }
  return tasks::ModelFormat::kOnnx;
}

}  // namespace

Model load_model(const std::filesystem::path& path) { return tasks::load_model(path.string()).model; }

Model load_model(const Bytes& content) { return load_model(content, {}); }

Model load_model(const Bytes& content, const ExternalContent& external) {
  tasks::LoadOptions options;
  options.external = external;
  options.standard_input = std::make_shared<StandardInput>(content);
  return tasks::load_model("-", options).model;
}

void save_model(Model& model, const std::filesystem::path& path) {
  tasks::save_checked(model, {.output = path.string(), .weights = tasks::Placement::kKeep, .read_back = false});
}

Bytes save_model(Model& model, ModelForm form) {
  std::string content;
  tasks::SaveRequest request{.output = "-", .weights = tasks::Placement::kSingleFile};
  request.form.format = format_of(form);
  request.standard_output = [&content](std::string_view piece) { content += piece; };
  tasks::save_checked(model, request);
  return Bytes::owned(std::move(content));
}

}  // namespace onnxpress

// Loads and saves models with the same tasks as the command, using memory instead of standard input and output.
#include "onnxpress/api/files.h"

#include <memory>
#include <string>

#include "onnxpress/api/borrowed_model.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/load_model.h"

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
  BorrowedModel borrowed(model);
  tasks::ConvertReport report;
  tasks::write_converted(borrowed.loaded, path.string(), {}, {}, report);
}

Bytes save_model(Model& model, ModelForm form) {
  BorrowedModel borrowed(model);
  std::string content;
  tasks::ConvertOptions options;
  options.to = format_of(form);
  options.weights.single_file = true;
  tasks::ConvertStreams streams;
  streams.standard_output = [&content](std::string_view piece) { content += piece; };
  tasks::ConvertReport report;
  tasks::write_converted(borrowed.loaded, "-", options, streams, report);
  return Bytes::owned(std::move(content));
}

}  // namespace onnxpress

// Decides whether a result has to be staged.
#include "onnxpress/tasks/files/save_checked.h"

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/files/save_together.h"
#include "onnxpress/tasks/files/write_form.h"

namespace onnxpress {

SaveReport save_checked(Model& model, const SaveRequest& request) {
  const bool is_stream = request.output == "-";
  const bool is_staged = request.read_back || request.dry_run || request.smaller_than > 0 || !request.beside.empty();
  if (!is_stream && is_staged) {
    const SaveTarget target{&model, request.output, request.check, request.original};
    return save_together({&target, 1}, nullptr, request);
  }
  // Files that are written directly appear when they are complete, too. Without names until then, they leave nothing
  // behind if the process is killed.
  begin_stage("writing");
  SaveReport report = write_form(model, request.output, request).report;
  report.bytes = report.files.front().bytes;
  for (std::size_t i = 1; i < report.files.size(); ++i) report.external += report.files[i].bytes;
  return report;
}

SaveReport copy_unchanged(const std::string& input, const SaveRequest& request) {
  SaveRequest copy = request;
  copy.weights = Placement::kKeep;
  copy.read_back = false;
  copy.smaller_than = 0;
  LoadedModel loaded = open_model(input, request.load);
  try {
    return save_checked(loaded.model, copy);
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

OriginalModel original_in(const std::string& path, const LoadOptions& options) {
  return [path, options] { return open_model(path, options).model; };
}

std::optional<ModelForm> format_of_output(const std::string& output, const FileForm& form) {
  return form.format ? form.format : output == "-" ? std::nullopt : format_of_name(output);
}

}  // namespace onnxpress

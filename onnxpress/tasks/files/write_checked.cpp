// Stages, writes, reads back, checks and renames a result.
#include "onnxpress/tasks/files/write_checked.h"

#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/files/read_back.h"
#include "onnxpress/tasks/files/staged_files.h"

namespace onnxpress::tasks {

namespace {

void run_check(const ResultCheck& check, Model result, const std::string& output) {
  begin_stage("checking the result");
  try {
    check(result);
  } catch (Error& error) {
    error.set_file(output);
    throw;
  }
}

}  // namespace

void write_checked(LoadedModel& loaded, const std::string& output, const LoadOptions& load,
                   const ConvertStreams& streams, const ResultCheck& check, ConvertReport& written) {
  const bool has_external = !loaded.model.external_files.empty();
  ConvertOptions options{.load = load};
  if (has_external) options.weights.external_data = "";
  // External files of text and JSON are copied by the writer, which has its own rules, so they are not staged.
  if (has_external && format_of_name(output) != ModelFormat::kOnnx) {
    run_check(check, read_back(loaded.model), output);
    return write_converted(loaded, output, options, streams, written);
  }
  const StagedFiles staged(output, false);
  const std::string target = staged.path_of(output);
  try {
    write_converted(loaded, target, options, streams, written);
  } catch (const Error& error) {
    throw staged.about_target(error);
  }
  if (written.lost.empty()) run_check(check, load_model(target, load).model, output);
  staged.move_into_place(written.files);
}

}  // namespace onnxpress::tasks

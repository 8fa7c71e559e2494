// Extracts the constants, and saves the model with the files beside it.
#include "onnxpress/tasks/jobs/as_inputs_file.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/passes/whole/extract_constants.h"
#include "onnxpress/passes/whole/unknown_name.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

namespace {

TensorReport extract_and_save(LoadedModel& loaded, const std::string& input, const std::string& output,
                              const TensorOptions& options) {
  require_clear_names(loaded.model);
  const bool repeated = options.also_repeated || (options.names.empty() && options.nodes.empty());
  const auto extracted = passes::extract_constants(loaded.model, {repeated, options.names, options.nodes});
  TensorReport report{.file = loaded.name, .output = output, .tensors = extracted.size()};
  report.inputs = name_extracted(loaded.model, extracted, output, options.npy_names);
  for (const ExtractedLine& line : report.inputs) report.bytes += line.bytes;
  SaveRequest request{.output = output, .original = original_in(input, options.load), .load = options.load};
  if (!extracted.empty()) request.beside = extracted_files(loaded.model, extracted, report.inputs, output);
  report.files = save_checked(loaded.model, request).files;
  return report;
}

}  // namespace

TensorReport constants_as_inputs(const std::string& input, const std::string& output, const TensorOptions& options) {
  begin_stage("reading");
  LoadedModel loaded = open_model(input, options.load);
  try {
    return extract_and_save(loaded, input, output, options);
  } catch (const passes::UnknownName& unknown) {
    const std::string guess = nearest(unknown.name, unknown.known);
    Error better("", unknown.message(),
                 guess.empty() ? unknown.hint() : fmt::format("did you mean {}?", quote_name(guess)));
    better.set_file(loaded.name);
    throw better;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

}  // namespace onnxpress

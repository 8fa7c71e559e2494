// Hands the result to save_checked().
#include "onnxpress/tasks/files/write_checked.h"

namespace onnxpress {

void write_checked(LoadedModel& loaded, const std::string& output, const LoadOptions& load,
                   const ConvertStreams& streams, const ResultCheck& check, ConvertReport& written) {
  const SaveReport saved =
      save_checked(loaded.model, {.output = output, .check = check, .load = load, .progress = streams.progress});
  written.files = saved.files;
  written.lost = saved.lost;
}

}  // namespace onnxpress

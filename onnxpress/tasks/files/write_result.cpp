// The last step of every edit.
#include "onnxpress/tasks/files/write_result.h"

namespace onnxpress::tasks {

std::vector<WrittenFile> write_result(LoadedModel& loaded, const std::string& output, const LoadOptions& options,
                                      const ConvertStreams& streams) {
  return save_checked(loaded.model, {.output = output, .load = options, .progress = streams.progress}).files;
}

}  // namespace onnxpress::tasks

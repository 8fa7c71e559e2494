// The last step of every edit.
#include "onnxpress/tasks/files/write_result.h"

#include <algorithm>

#include "onnxpress/ir/walk.h"

namespace onnxpress::tasks {

std::vector<WrittenFile> write_result(LoadedModel& loaded, const std::string& output, const LoadOptions& options,
                                      const ConvertStreams& streams) {
  ConvertOptions how{.load = options};
  bool external = false;
  for_each_tensor(loaded.model, [&external](const Tensor& tensor, const TensorPlace&) {
    external |= std::holds_alternative<FileRange>(tensor.content);
  });
  if (external && format_of_name(output) == ModelFormat::kOnnx) how.weights.external_data = "";
  if (!external) loaded.model.external_files.clear();
  ConvertReport written;
  write_converted(loaded, output, how, streams, written);
  return written.files;
}

}  // namespace onnxpress::tasks

// Encoding and decoding in memory.
#include "onnxpress/tasks/verify/read_back.h"

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"

namespace onnxpress::tasks {

Model read_back(Model& model, const LoadOptions& options) {
  format::ReadOptions read_options;
  read_options.access = options.access();
  read_options.outside_paths = options.outside_paths();
  return format::read_model(Bytes::owned(format::encode_model(model)), model.path.parent_path(), read_options);
}

}  // namespace onnxpress::tasks

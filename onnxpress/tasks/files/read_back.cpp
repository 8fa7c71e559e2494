// Encodes and decodes a model in memory.
#include "onnxpress/tasks/files/read_back.h"

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"

namespace onnxpress {

Model read_back(Model& model) {
  format::ReadOptions read_options;
  // External data, in files or in memory, is the same for both.
  read_options.external = [files = model.external_files](std::string_view location) -> std::optional<Bytes> {
    for (const auto& file : files) {
      if (file->location() == location) return file->open().bytes();
    }
    return std::nullopt;
  };
  return format::read_model(Bytes::owned(format::encode_model(model)), model.path.parent_path(), read_options);
}

}  // namespace onnxpress

// Releases the pages of a view in the file that contains it.
#include "onnxpress/ir/release_pages.h"

namespace onnxpress {

void release_pages(MappedFiles files, const Tensor& tensor, std::string_view view) {
  if (const auto* range = std::get_if<FileRange>(&tensor.content)) {
    range->file->open().release_pages(view);
  } else if (std::holds_alternative<Bytes>(tensor.content)) {
    for (const auto& file : files) file->release_pages(view);
  }
}

void release_pages(MappedFiles files, const Tensor& tensor) {
  if (const auto* bytes = std::get_if<Bytes>(&tensor.content)) release_pages(files, tensor, bytes->view());
}

}  // namespace onnxpress

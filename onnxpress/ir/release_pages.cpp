// Which file a view is in.
#include "onnxpress/ir/forget_pages.h"

namespace onnxpress {

void forget_pages(MappedFiles files, const Tensor& tensor, std::string_view view) {
  if (const auto* range = std::get_if<FileRange>(&tensor.content)) {
    range->file->open().forget(view);
  } else if (std::holds_alternative<Bytes>(tensor.content)) {
    for (const auto& file : files) file->forget(view);
  }
}

}  // namespace onnxpress

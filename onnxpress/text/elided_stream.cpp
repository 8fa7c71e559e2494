// A stream of zeros that takes no memory.
#include "onnxpress/text/elided_stream.h"

namespace onnxpress::text {

void ElidedStream::produce(const std::function<void(std::string_view piece)>& take) const {
  if (!shown_.empty()) take(shown_);
  if (size_ > shown_.size()) take(std::string_view(nullptr, size_ - shown_.size()));
}

const ElidedStream* elided_content(const Tensor& tensor) {
  const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&tensor.content);
  return stream ? dynamic_cast<const ElidedStream*>(stream->get()) : nullptr;
}

}  // namespace onnxpress::text

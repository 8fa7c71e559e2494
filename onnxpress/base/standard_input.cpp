// Reads standard input once, on first use.
#include "onnxpress/base/standard_input.h"

#include <utility>

#include "onnxpress/base/mapped_file.h"

namespace onnxpress {

StandardInput::StandardInput(Bytes content) {
  std::call_once(read_, [&] { content_ = std::move(content); });
}

const Bytes& StandardInput::content() {
  constexpr int kStandardInput = 0;
  std::call_once(read_, [this] { content_ = MappedFile::read_stream(kStandardInput, "standard input"); });
  return content_;
}

}  // namespace onnxpress

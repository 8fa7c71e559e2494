// Owning and slicing byte ranges.
#include "onnxpress/base/bytes.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"

namespace onnxpress {

Bytes Bytes::owned(std::string content) {
  auto holder = std::make_shared<const std::string>(std::move(content));
  const std::string_view view = *holder;
  return {view, std::move(holder)};
}

Bytes Bytes::slice(std::uint64_t offset, std::uint64_t length) const {
  if (offset > size() || length > size() - offset) {
    throw Error("", fmt::format("bytes {:#x} to +{} are outside a range of {} bytes", offset, length, size()));
  }
  return {view_.substr(offset, length), keep_alive_};
}

}  // namespace onnxpress

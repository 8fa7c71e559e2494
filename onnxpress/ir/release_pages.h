// Lets code read all weights of a mapped model without keeping them in memory.
#pragma once

#include <string_view>

#include "onnxpress/ir/model.h"

namespace onnxpress {

using MappedFiles = std::span<const std::shared_ptr<const MappedFile>>;  // Model::files

// Call this when `view`, a part of the tensor's bytes(), will not be needed soon. Content that is not in a mapped file
// stays in memory.
void release_pages(MappedFiles files, const Tensor& tensor, std::string_view view);

// Releases the whole tensor, if its content is bytes that need no decoding.
void release_pages(MappedFiles files, const Tensor& tensor);

// Calls `take` with consecutive parts of the tensor's bytes(), and releases each part afterwards.
template <typename Take>
void for_each_part(MappedFiles files, const Tensor& tensor, const Bytes& bytes, Take&& take) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  for (std::size_t at = 0; at < bytes.size(); at += kPart) {
    const std::string_view part = bytes.view().substr(at, kPart);
    take(part);
    release_pages(files, tensor, part);
  }
}

}  // namespace onnxpress

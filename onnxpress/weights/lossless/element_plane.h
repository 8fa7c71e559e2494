// A few bits of each element of a tensor, generated while they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

class ElementPlane final : public ByteStream {
 public:
  // What is stored of an element, given its bits; less than 2^bits.
  using Part = std::function<std::uint32_t(std::uint64_t word)>;
  // 1, 2 or 4 bits are packed as unpack() in chain_parts.h expects; 8 and 16 bits are not packed. Elements are 8 to 64
  // bits wide. Shares the content of the candidate's tensor; the model must live as long.
  ElementPlane(const Candidate& from, int bits, Part part);

  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
  Tensor from_;
  int bits_;
  Part part_;
  std::uint64_t count_, size_;
};

}  // namespace onnxpress::weights

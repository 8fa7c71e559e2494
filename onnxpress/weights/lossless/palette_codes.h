// Which of a few values each element is, as codes of 1, 2, 4 or 8 bits, generated while they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

class PaletteCodes final : public ByteStream {
 public:
  // `palette`: bit patterns, at most 2^bits of them. Codes are packed into bytes as unpack() in chain_parts.h expects.
  // Shares the content of the candidate's tensor; the model must live as long.
  PaletteCodes(const Candidate& from, std::span<const std::uint64_t> palette, int bits);

  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  template <typename Word>
  void produce_words(std::string_view bytes, const std::function<void(std::string_view piece)>& take) const;
  std::uint8_t code_of(std::uint64_t word) const;

  std::vector<std::shared_ptr<const MappedFile>> files_;
  Tensor from_;
  std::vector<std::uint64_t> palette_;
  std::vector<std::uint16_t> slots_;  // a hash table over palette_; 0 is empty
  int bits_;
  std::uint64_t count_, size_;
};

}  // namespace onnxpress::weights

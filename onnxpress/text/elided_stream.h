// ElidedStream: the content of a tensor whose text shows only its first numbers. The rest is not known and reads as
// zeros.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "onnxpress/ir/tensor.h"

namespace onnxpress::text {

class ElidedStream final : public ByteStream {
 public:
  // `shown` is the raw form of the numbers in the text; `size` that of the whole tensor.
  ElidedStream(std::string shown, std::uint64_t size, std::optional<std::uint64_t> hash)
      : shown_(std::move(shown)), size_(size), hash_(hash) {}

  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view piece)>& take) const override;
  bool is_known() const override { return false; }
  std::optional<std::uint64_t> hash() const override { return hash_; }

  const std::string& shown() const { return shown_; }

 private:
  std::string shown_;
  std::uint64_t size_;
  std::optional<std::uint64_t> hash_;
};

// Null unless the tensor comes from a text that leaves out its content. Code that needs the real values must check
// this.
const ElidedStream* elided_content(const Tensor& tensor);

}  // namespace onnxpress::text

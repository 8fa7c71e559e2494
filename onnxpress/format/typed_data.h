// Tensor data stored in a typed field (int32_data, int64_data, ...), presented as raw little-endian bytes.
#pragma once

#include <atomic>
#include <cstdint>

#include "onnxpress/ir/tensor.h"

namespace onnxpress::format {

// The field of TensorProto that holds elements of this type when they are not in raw_data; 0 for unknown types.
std::uint32_t typed_field_of(ElementType type);

// Decodes on demand, because scanning a field loads its pages and most commands never read weights.
class TypedData final : public ByteStream {
 public:
  // `message` is the encoded TensorProto, in which the field may be packed, single elements, or several pieces.
  TypedData(Bytes message, ElementType type) : message_(std::move(message)), type_(type) {}

  std::uint64_t size() const override;
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  static constexpr std::uint64_t kNotCounted = ~std::uint64_t{0};
  Bytes message_;
  ElementType type_;
  mutable std::atomic<std::uint64_t> size_ =
      kNotCounted;  // counting takes a scan; if two threads do it, both get the same result
};

}  // namespace onnxpress::format

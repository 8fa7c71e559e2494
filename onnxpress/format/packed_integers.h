// Integers as a packed list of varints, as int32_data, int64_data and uint64_data hold them.
#pragma once

#include <cstdint>
#include <string_view>

#include "onnxpress/format/typed_data.h"
#include "onnxpress/ir/tensor.h"

namespace onnxpress::format {

// Whether a type may be smaller that way: integers of 16 to 64 bits.
bool has_varint_form(ElementType type);
// The number of bytes that raw elements take as varints; negative numbers take ten each.
std::uint64_t packed_size(ElementType type, std::string_view raw);

// Encodes the integers while they are written.
class PackedIntegers final : public ByteStream {
 public:
  PackedIntegers(Bytes raw, ElementType type)
      : raw_(std::move(raw)), type_(type), size_(packed_size(type, raw_.view())) {}

  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  Bytes raw_;
  ElementType type_;
  std::uint64_t size_;
};

}  // namespace onnxpress::format

// The codes of a quantized weight, generated while they are written.
#pragma once

#include <memory>

#include "onnxpress/passes/integer/weight_codes.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// Which bits of each code to store, and how they are packed into bytes.
struct CodePart {
  enum class Order : std::uint8_t {
    kPlanar,      // as unpack() in chain_parts.h expects them
    kSequential,  // neighbours in one byte, low bits first: like the 2- and 4-bit types of ONNX
  };
  int shift = 0, bits = 8;
  bool is_signed = false;  // the middle code becomes 0
  Order order = Order::kPlanar;
  bool padded = true;  // with the padding of blocks
};

class CodeStream final : public ByteStream {
 public:
  CodeStream(std::shared_ptr<const Quantized> quantized, CodePart part);
  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  void produce_planar(const std::function<void(std::string_view piece)>& take) const;
  void produce_sequential(const std::function<void(std::string_view piece)>& take) const;
  std::shared_ptr<const Quantized> quantized_;
  CodePart part_;
  std::uint64_t count_, size_;
};

// Codes of 8 bits and the scales of all channels, as passes take them. Unsigned codes are centred on 128.
passes::WeightCodes channel_codes(const std::shared_ptr<const Quantized>& quantized, bool is_signed);

// The rounded values in the tensor's own type.
class RoundedStream final : public ByteStream {
 public:
  explicit RoundedStream(std::shared_ptr<const Quantized> quantized) : quantized_(std::move(quantized)) {}
  std::uint64_t size() const override { return quantized_->source->tensor().expected_bytes().value_or(0); }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  std::shared_ptr<const Quantized> quantized_;
};

// A tensor of floats rounded to a narrower type and back.
class NarrowedStream final : public ByteStream {
 public:
  NarrowedStream(std::shared_ptr<const FloatSource> source, ElementType narrow)
      : source_(std::move(source)), narrow_(narrow) {}
  std::uint64_t size() const override { return source_->tensor().expected_bytes().value_or(0); }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  std::shared_ptr<const FloatSource> source_;
  ElementType narrow_;
};
float narrowed(float value, ElementType narrow);  // float16 or bfloat16

}  // namespace onnxpress::weights

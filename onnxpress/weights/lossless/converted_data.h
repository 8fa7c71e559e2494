// Weights in another element type, converted part by part while they are written, so that a model of many gigabytes
// needs no memory for its new weights.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::weights {

class ConvertedData final : public ByteStream {
 public:
  // Appends the converted elements of `part` (whole elements) to `out`.
  using Convert = void (*)(std::string_view part, std::string& out);

  // Shares the content of the candidate's tensor; the model must live as long.
  ConvertedData(const Candidate& from, std::uint64_t size, Convert convert)
      : files_(from.model().files), from_(from.tensor()), size_(size), convert_(convert) {}

  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
  Tensor from_;
  std::uint64_t size_;
  Convert convert_;
};

// Each element cast to a type in which it has the same value.
ConvertedData::Convert cast_between(ElementType from, ElementType to);  // null: no such cast

// The chain that stores the tensor in a narrower type and casts it back; nullopt if the target cannot decode it.
std::optional<Chain> cast_chain(const Candidate& tensor, ElementType narrow);

}  // namespace onnxpress::weights

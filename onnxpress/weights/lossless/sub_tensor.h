// A part of a tensor: some slices on each axis. Generated while it is written, without a copy in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

class SubTensor final : public ByteStream {
 public:
  // For each axis the slices to take, in this order; an empty list takes all. `dims` are those of the candidate, or
  // some of its axes taken as one. Shares the content of the candidate's tensor; the model must live as long.
  SubTensor(const Candidate& from, std::vector<std::int64_t> dims, std::vector<std::vector<std::uint32_t>> taken);

  const std::vector<std::int64_t>& dims() const { return dims_; }
  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view piece)>& take) const override;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
  Tensor from_;
  std::vector<std::vector<std::uint32_t>> taken_;
  std::vector<std::int64_t> whole_, dims_;  // of the tensor, and of the part
  std::uint64_t width_ = 0, size_ = 0;
};

}  // namespace onnxpress::weights

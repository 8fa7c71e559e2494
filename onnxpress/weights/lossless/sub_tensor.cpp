// Walks the chosen slices, with everything after the last chosen axis in one piece.
#include "onnxpress/weights/lossless/sub_tensor.h"

namespace onnxpress::weights {

SubTensor::SubTensor(const Candidate& from, std::vector<std::int64_t> dims,
                     std::vector<std::vector<std::uint32_t>> taken)
    : files_(from.model().files),
      from_(from.tensor()),
      taken_(std::move(taken)),
      whole_(dims),
      dims_(std::move(dims)),
      width_(from.count() == 0 ? 0 : from.bytes().size() / from.count()) {
  size_ = width_;
  for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
    if (!taken_[axis].empty()) dims_[axis] = static_cast<std::int64_t>(taken_[axis].size());
    size_ *= static_cast<std::uint64_t>(dims_[axis]);
  }
}

void SubTensor::produce(const std::function<void(std::string_view piece)>& take) const {
  const Bytes bytes = from_.bytes();
  std::size_t chosen = dims_.size();  // axes before this one are walked
  while (chosen > 0 && taken_[chosen - 1].empty()) --chosen;
  std::size_t run = width_;
  for (std::size_t axis = chosen; axis < dims_.size(); ++axis) run *= static_cast<std::size_t>(dims_[axis]);
  std::vector<std::size_t> stride(chosen, run), at(chosen, 0);
  for (std::size_t axis = chosen; axis-- > 1;) stride[axis - 1] = stride[axis] * static_cast<std::size_t>(whole_[axis]);

  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string piece;
  for (std::uint64_t done = 0; done < size_; done += run) {
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < chosen; ++axis)
      offset += stride[axis] * (taken_[axis].empty() ? at[axis] : taken_[axis][at[axis]]);
    piece += bytes.view().substr(offset, run);
    if (piece.size() >= kPiece) {
      take(piece);
      piece.clear();
    }
    for (std::size_t axis = chosen; axis-- > 0;) {
      if (++at[axis] < static_cast<std::size_t>(dims_[axis])) break;
      at[axis] = 0;
    }
  }
  if (!piece.empty()) take(piece);
}

}  // namespace onnxpress::weights

// Which scale belongs to which element of a quantized tensor: one for all, one per slice of an axis, or one per block.
#pragma once

#include <optional>
#include <string>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/params.h"

namespace onnxpress::ops {

// Element `begin + i` (i < length) has scale number `scale + i * step`.
struct ScaleRun {
  std::size_t begin, length, scale, step;
};

class ScaleRuns {
 public:
  // From the attributes `axis` and `block_size`. Nullopt, with the reason in `why`, when the shapes do not match.
  static std::optional<ScaleRuns> of(const Params& params, const Sizes& x, const Sizes& scale, std::string& why);

  template <typename Work>
  void for_each(Work&& work) const {
    if (outer_ * length_ * inner_ == 0) return;
    for (std::size_t i = 0; i < outer_; ++i) {
      const std::size_t first = i * length_ * inner_;
      if (block_ == 0) {
        if (inner_ == 1) {
          work(ScaleRun{first, length_, 0, 1});
        } else {
          for (std::size_t k = 0; k < length_; ++k) work(ScaleRun{first + k * inner_, inner_, k, 0});
        }
      } else if (inner_ == 1) {
        for (std::size_t k = 0; k < length_; k += block_)
          work(ScaleRun{first + k, std::min(block_, length_ - k), i * blocks_ + k / block_, 0});
      } else {
        for (std::size_t k = 0; k < length_; ++k)
          work(ScaleRun{first + k * inner_, inner_, (i * blocks_ + k / block_) * inner_, 1});
      }
    }
  }

 private:
  // If block_ is 0, the scale depends only on the middle axis.
  std::size_t outer_ = 1, length_ = 1, inner_ = 1, block_ = 0, blocks_ = 1;
};

}  // namespace onnxpress::ops

// FactTable: a fact for every value id. It grows as values are created, and references into it stay valid.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "onnxpress/ops/core/fact.h"

namespace onnxpress::analysis {

class FactTable {
 public:
  ops::Fact& at(std::uint32_t id) {
    const std::size_t chunk = id / kChunk;
    while (chunk >= chunks_.size()) chunks_.push_back(std::make_unique<Chunk>());
    return (*chunks_[chunk])[id % kChunk];
  }

 private:
  static constexpr std::uint32_t kChunk = 1024;
  using Chunk = std::array<ops::Fact, kChunk>;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace onnxpress::analysis

// ConstantReader: the elements of constants of any size, read or computed when asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::analysis {

class ConstantReader {
 public:
  // Arrays with more than `most` elements are neither read nor computed.
  ConstantReader(const Facts& facts, std::uint64_t most) : facts_(facts), most_(most) {}

  std::optional<ops::Array> read(const Value& value) { return read(value, 0); }

 private:
  std::optional<ops::Array> read(const Value& value, int depth);
  std::optional<ops::Array> stored(const Value& value) const;
  std::optional<ops::Array> computed(const Value& value, int depth);
  bool is_small_enough(const ops::Fact& fact) const;

  const Facts& facts_;
  std::uint64_t most_;
  std::size_t nodes_ = 0;
  std::unordered_map<const Value*, std::optional<ops::Array>> read_;  // cache: a value may be needed twice
};

}  // namespace onnxpress::analysis

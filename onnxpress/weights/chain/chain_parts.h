// Pieces that several chains are built from: indices, packed codes, positions along an axis.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::weights {

// Whole numbers >= 0 as int32, which Gather and Equal take, stored in the narrowest type.
Chain::Ref indices(ChainBuilder& chain, std::span<const std::uint32_t> values, std::span<const std::int64_t> dims);

// Scalar constants.
Chain::Ref scalar(ChainBuilder& chain, std::int64_t value);  // int64
Chain::Ref scalar_byte(ChainBuilder& chain, std::uint8_t value);

// first, first + step, ...: `count` int64 numbers along `axis` of a tensor of this rank, whose other dims are 1.
Chain::Ref positions(ChainBuilder& chain, std::int64_t first, std::int64_t count, std::int64_t step, std::size_t axis,
                     std::size_t rank);

// A tensor of these dims and the candidate's type, with all elements equal to this one.
Chain::Ref filled(ChainBuilder& chain, std::span<const std::int64_t> dims, const Bytes& element);

Chain::Ref cast(ChainBuilder& chain, Chain::Ref from, ElementType to);
// The first `count` slices along that axis.
Chain::Ref first_of(ChainBuilder& chain, Chain::Ref from, std::int64_t count, std::int64_t axis);
Chain::Ref reshape(ChainBuilder& chain, Chain::Ref from, std::span<const std::int64_t> dims);

// Codes of 1, 2 or 4 bits, several in a byte: byte j holds code j in its lowest bits, then code j + m, code j + 2m,
// ..., where m is the number of bytes. So one BitShift unpacks them since opset 11; before that, Floor does.
constexpr std::uint64_t packed_bytes(std::uint64_t count, int bits) {
  const auto per_byte = static_cast<std::uint64_t>(8 / bits);
  return (count + per_byte - 1) / per_byte;
}
// Does the opset have what unpack() needs?
bool can_unpack(const Candidate& candidate);
// `packed` is uint8 with dims [1, packed_bytes()]; the result is uint8 with `dims`.
Chain::Ref unpack(ChainBuilder& chain, Chain::Ref packed, int bits, std::span<const std::int64_t> dims);

}  // namespace onnxpress::weights

// Limits on the work that a text can cause. All other costs are bounded by its length.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::text {

// How deeply bodies (If, Loop, Scan) and types may nest: the same as in binary files.
inline constexpr std::size_t kMaxGraphDepth = 64;
inline constexpr std::size_t kMaxTypeDepth = 64;
inline constexpr std::size_t kMaxRank = 1024;
// An elided tensor takes one line regardless of its shape, so its size is limited to this: 1 TiB.
inline constexpr std::uint64_t kMaxElidedBytes = std::uint64_t{1} << 40;
// How many repairs and problems are listed.
inline constexpr std::size_t kMaxNotes = 1000;
// How many losses print_model() lists; one line counts the rest.
inline constexpr std::size_t kMaxLost = 1000;

}  // namespace onnxpress::text

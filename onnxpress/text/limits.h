// Limits on what a text may make us do. All other costs are bounded by its length.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::text {

// Bodies in bodies (If, Loop, Scan), and types in types: the same as in binary files.
inline constexpr std::size_t kMaxGraphDepth = 64;
inline constexpr std::size_t kMaxTypeDepth = 64;
inline constexpr std::size_t kMaxRank = 1024;
// An elided tensor takes a line whatever its shape says, so its size is held against this: 1 TiB.
inline constexpr std::uint64_t kMaxElidedBytes = std::uint64_t{1} << 40;
// Repairs and problems that are listed.
inline constexpr std::size_t kMaxNotes = 1000;
// What print_model() reports as left out; the rest is counted in one line.
inline constexpr std::size_t kMaxLost = 1000;

}  // namespace onnxpress::text

/// \file
/// Limits on the work that a file can cause. Every count and depth from a file is checked against one of these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::format {

/// Nested bodies (If, Loop, Scan). Protobuf itself stops at 100 nested messages, which is 33 graphs.
inline constexpr std::size_t kMaxGraphDepth = 64;
/// Nested types (sequence of optional of ...).
inline constexpr std::size_t kMaxTypeDepth = 64;
/// Dimensions of one tensor or shape. ONNX Runtime's own kernels stop far below.
inline constexpr std::size_t kMaxRank = 1024;
/// Nodes, values, attributes, tensors, types and declarations of one model, together. An empty node costs two bytes in
/// a file and about 300 in memory, so this limits memory to a few GiB for any file; real models stay under 10^6.
inline constexpr std::size_t kMaxObjects = 20'000'000;
/// Problems that the reader tolerated and reports; the rest are only counted.
inline constexpr std::size_t kMaxNotes = 1000;
/// The maximum size of a protobuf message, and so of a file; larger models keep their weights in an external file.
inline constexpr std::uint64_t kMaxMessageBytes = 0x7fffffff;

/// The limits of one call of the reader.
struct Limits {
  std::size_t graph_depth = kMaxGraphDepth;
  std::size_t type_depth = kMaxTypeDepth;
  std::size_t rank = kMaxRank;
  std::size_t objects = kMaxObjects;
};

}  // namespace onnxpress::format

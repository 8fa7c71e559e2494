// Where the bytes of a model file are: every byte belongs to exactly one category, so the parts always sum to the file
// size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onnxpress::format {

enum class ByteCategory : std::uint8_t {
  kWeights,       // elements of tensors: initializers, attributes (Constant nodes), bodies and functions
  kExternalData,  // where the elements in external files are
  kValueNames,    // names of inputs, outputs, weights and values between nodes
  kNodeNames,     // names of nodes and graphs
  kOperators,     // op type, domain and overload of nodes and functions
  kAttributes,    // names and values of attributes, other than tensors, types and bodies
  kTypes,         // types and shapes of values and tensors
  kDocStrings,
  kMetadata,  // metadata_props everywhere; IR version, producer, domain and version of the model
  kOpsetImports,
  kTraining,   // all of training_info, its graphs included
  kDevices,    // how the model is spread over devices
  kStructure,  // tags and lengths that hold all this together
  kUnknown,    // fields with numbers that ONNX does not have
};
inline constexpr std::size_t kByteCategoryCount = 14;

// "weights", "value names", ... as shown to users.
std::string_view name_of(ByteCategory category);

struct ByteMap {
  std::array<std::uint64_t, kByteCategoryCount> counts = {};

  std::uint64_t& operator[](ByteCategory category) { return counts[static_cast<std::size_t>(category)]; }
  std::uint64_t operator[](ByteCategory category) const { return counts[static_cast<std::size_t>(category)]; }
  std::uint64_t total() const;  // the size of the file
};

// Reads only tags and lengths and skips weights, so that a mapped 10 GB file costs only the reading of its graph.
// Throws Error when the model is damaged where it looks, or nested too deeply.
ByteMap map_bytes(std::string_view encoded_model);

}  // namespace onnxpress::format

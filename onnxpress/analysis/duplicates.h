// Finds weights that are stored more than once. This is the only part of `info` that reads weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/analysis/tensor_list.h"
#include "onnxpress/ir/release_pages.h"

namespace onnxpress::analysis {

// Tensors with the same bytes. Indices are those of TensorList::entries, in that order.
struct DuplicateGroup {
  std::uint64_t bytes = 0;             // of one copy
  std::vector<std::uint32_t> tensors;  // two or more
  std::uint64_t copies = 0;            // places that hold these bytes; tensors may share one range of an external file
};

struct UnreadableTensor {
  std::uint32_t tensor = 0;
  std::string reason;
};

struct Duplicates {
  std::vector<DuplicateGroup> same_tensor;  // same type, shape and bytes; most wasteful first
  std::vector<DuplicateGroup> same_bytes;   // same bytes in different types or shapes: one representative of each
  std::uint64_t bytes_same_tensor = 0;      // what storing each once would save
  std::uint64_t bytes_same_bytes = 0;       // what sharing those as well would save in addition
  std::uint64_t bytes_read = 0;
  std::vector<UnreadableTensor> unreadable;  // damaged, or in an external file that is missing
};

// Only tensors of a size that occurs twice are read, on all cores. Equal hashes (XXH3, 128 bits) are confirmed byte by
// byte. Tensors without content are left out.
Duplicates find_duplicates(const TensorList& list);
// The same with only a few pages of the model's files resident at a time, for callers that do not need them afterwards.
Duplicates find_duplicates(const TensorList& list, MappedFiles files);

}  // namespace onnxpress::analysis

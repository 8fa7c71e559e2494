// NumPy's .npy files: one array each.
#pragma once

#include <filesystem>
#include <string>

#include "onnxpress/ops/array.h"

namespace onnxpress::tasks {

// Throws Error for damaged files, Fortran order aside from one dimension, big-endian numbers and structured types.
ops::Array read_npy(const std::filesystem::path& path);

// The bytes of a file. Types that NumPy does not have are written as float32, which holds each of their numbers; `lost`
// then says so.
std::string encode_npy(const ops::Array& array, std::string* lost = nullptr);

}  // namespace onnxpress::tasks

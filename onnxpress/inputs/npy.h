// NumPy's .npy files: one array each.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::inputs {

// Throws Error for damaged files, Fortran order with more than one dimension, big-endian numbers and structured types.
ops::Array read_npy(const std::filesystem::path& path);
ops::Array decode_npy(std::string_view file);  // the bytes of such a file

// The header before the raw data of a tensor; nullopt for strings and types that NumPy does not have.
std::optional<std::string> npy_header(ElementType type, std::span<const std::int64_t> dims);

// The bytes of a file. Types that NumPy does not have are written as float32, which holds each of their numbers; `lost`
// then says so.
std::string encode_npy(const ops::Array& array, std::string* lost = nullptr);

}  // namespace onnxpress::inputs

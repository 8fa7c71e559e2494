// Files of named tensors: a folder of .npy files, .npz and .safetensors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/bytes.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

struct NamedContent {
  std::string name;
  const Tensor* tensor = nullptr;
};

// What was written: the files, and tensors that the form cannot hold, with the reason.
struct TensorFiles {
  std::vector<WrittenFile> files;
  std::vector<std::string> left_out;
};

// The ending decides: .npz, .safetensors; any other name is a folder, with a file names.json that says which tensor
// each file holds. Names that file systems do not accept are replaced by unique ones. Throws Error.
TensorFiles write_tensors(const Model& model, const std::vector<NamedContent>& tensors,
                          const std::filesystem::path& output);

struct LoadedTensor {
  std::string name;
  ElementType type = ElementType::kUndefined;
  std::vector<std::int64_t> dims;
  Bytes content;  // little-endian, as in raw_data
};

// The reverse; also reads a single .npy file, which is named after its tensor. No byte of it is trusted. Throws Error.
std::vector<LoadedTensor> read_tensors(const std::filesystem::path& input);

// For the two forms; internal.
TensorFiles write_safetensors(const Model& model, const std::vector<NamedContent>& tensors,
                              const std::filesystem::path& output);
std::vector<LoadedTensor> read_safetensors(const std::filesystem::path& input);
TensorFiles write_npz(const std::vector<NamedContent>& tensors, const std::filesystem::path& output);

}  // namespace onnxpress

/// \file
/// Writes a Model as .onnx, completely or not at all; unchanged messages keep the bytes they were read from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/base/bytes.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {
struct TensorPlace;
}

namespace onnxpress::format {

/// Returns true for a tensor that must be in the model file, no matter how large it is and where it is now.
using StaysInside = std::function<bool(const Tensor& tensor, const TensorPlace& place)>;

/// Where weights go, and how the model is encoded.
struct WriteOptions {
  enum class Weights {
    kKeep,        ///< where they are: inside, or in the same external files (copied if the folder changes)
    kExternal,    ///< large ones in one external file
    kSingleFile,  ///< all inside
  };
  Weights weights = Weights::kKeep;
  std::string external_name;                ///< kExternal: file name next to the output; empty means OUTPUT.data
  std::uint64_t external_threshold = 1024;  ///< kExternal: smaller tensors stay inside
  bool external_attributes = false;  ///< kExternal: tensors in node attributes (Constant) too, not only initializers
  StaysInside stays_inside;          ///< used whenever weights move to an external file; may be empty
  bool overwrite_external = false;   ///< kKeep into another folder: replace existing files that differ
  /// kKeep: the folder that the file will be moved to. Then the caller puts external files there (ExternalCopies).
  std::optional<std::filesystem::path> final_folder;
  bool encode_anew = false;  ///< encode every message, even unchanged ones (tests, canonical form)
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  ///< in bytes; called about every 16 MiB
};

/// What write_model() wrote.
struct WriteReport {
  std::uint64_t file_bytes = 0;
  std::uint64_t external_bytes = 0;          ///< in external files written by this call
  std::uint64_t kept_inside = 0;             ///< tensors that WriteOptions::stays_inside() kept inside
  bool moved_to_external = false;            ///< the model was over 2 GiB, so weights were moved without a request
  std::vector<std::filesystem::path> files;  ///< written, the model first
};

/// Values without a name get one first. If it throws Error, an existing file is unchanged.
WriteReport write_model(Model& model, const std::filesystem::path& path, const WriteOptions& options = {});

/// The size that the model would have if it were written now: the model file, and the content of tensors in external
/// files.
struct EncodedSize {
  std::uint64_t message = 0, external = 0;
  std::uint64_t total() const { return message + external; }
};
/// Reads no weights. Throws Error when a tensor is damaged.
EncodedSize encoded_size(const Model& model);

/// The encoded message, including weights that are inside. Values without a name get one.
std::string encode_model(Model& model, bool encode_anew = false);
/// The same for a model that must not change: only the message has the new names.
std::string encode_model(const Model& model, bool encode_anew = false);

}  // namespace onnxpress::format

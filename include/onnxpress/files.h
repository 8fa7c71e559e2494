/// \file
/// Loading and saving models: from a file or from memory, as .onnx, ONNX text or JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/contained_file.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/standard_input.h"
#include "onnxpress/bytes.h"
#include "onnxpress/model.h"
#include "onnxpress/options.h"

namespace onnxpress {

/// What ConvertOptions::to can be.
enum class ModelForm : std::uint8_t {
  kOnnx,  ///< the binary form of the standard
  kText,  ///< ONNX text, as the standard defines it
  kJson,  ///< JSON, as protobuf defines it
};

/// How models are read; part of the options of most calls.
struct LoadOptions {
  static constexpr std::string_view kTitle = "Reading";  ///< of this group of options in lists
  /// read files into memory instead of mapping them, for files that may change while they are read
  bool no_mmap = false;
  /// allow external data outside the model's folder; only for models that you trust
  bool allow_outside_paths = false;
  std::shared_ptr<StandardInput> standard_input =
      std::make_shared<StandardInput>();  ///< for the path "-"; copies of the options share it, because standard input
                                          ///< can be read only once
  ExternalContent external = {};          ///< where external data comes from instead of files; may be empty

  /// Whether external data may be outside the model's folder.
  OutsidePaths outside_paths() const { return allow_outside_paths ? OutsidePaths::kAllow : OutsidePaths::kRefuse; }
  /// Whether files are mapped or read.
  FileAccess access() const { return no_mmap ? FileAccess::kRead : FileAccess::kMap; }
};

/// A file that was written.
struct WrittenFile {
  /// path of the file; `-` is standard output
  std::string path;
  /// its size
  std::uint64_t bytes = 0;
};

/// What ConvertOptions::strip can remove.
enum class Strippable : std::uint8_t {
  kNames,      ///< names of nodes
  kDocs,       ///< documentation texts
  kMetadata,   ///< metadata properties
  kValueInfo,  ///< declared types of inner values
};

/// What is left out when a model is written (ConvertOptions::strip).
struct StripOptions {
  static constexpr std::string_view kTitle = "Stripping";  ///< of this group of options in lists
  /// remove the names of nodes (names of inputs, outputs and weights stay)
  bool strip_names = false;
  /// remove all documentation strings
  bool strip_docs = false;
  /// remove metadata properties everywhere
  bool strip_metadata = false;
  /// remove the declared types of values inside the graph
  bool strip_value_info = false;

  /// Removes this, too.
  void set(Strippable what) {
    strip_names |= what == Strippable::kNames;
    strip_docs |= what == Strippable::kDocs;
    strip_metadata |= what == Strippable::kMetadata;
    strip_value_info |= what == Strippable::kValueInfo;
  }
};

/// What was left out (ConvertReport::stripped).
struct StripReport {
  /// names of nodes that were removed
  std::uint64_t names = 0;
  /// documentation texts that were removed
  std::uint64_t docs = 0;
  /// metadata properties that were removed
  std::uint64_t metadata = 0;
  /// declarations of inner values that were removed
  std::uint64_t value_infos = 0;
};

/// Where weights are when a model is written (ConvertOptions::weights).
struct WeightOptions {
  static constexpr std::string_view kTitle = "Weights";  ///< of this group of options in lists
  /// put large weights into a file next to the output (default: OUTPUT.data)
  std::optional<std::string> external_data;  // empty: OUTPUT.data
  /// weights smaller than this stay inside (default 1024)
  std::uint64_t external_threshold = 1024;
  /// also move tensors out of Constant nodes and other attributes
  bool external_attributes = false;
  /// move weights from external files into the output
  bool single_file = false;
  /// replace existing files when external files are copied to another folder
  bool overwrite_external = false;
};

/// Options of convert().
struct ConvertOptions {
  /// form of the output, regardless of its name
  std::optional<ModelForm> to;
  /// text: shorten tensors with more elements than this
  std::optional<std::uint64_t> elide;
  /// write the repairs made while reading: sorted nodes, missing opset imports
  bool repair = false;
  /// encode everything again, in canonical form, instead of copying unchanged parts
  bool encode_anew = false;
  /// [] its fields stand here
  WeightOptions weights;
  /// [] its fields stand here
  StripOptions strip;
  /// [] its fields stand here
  LoadOptions load;
};

/// The report of convert().
struct ConvertReport {
  /// path of the input
  std::string input;
  /// path of the output
  std::string output;
  /// form of the input: `onnx`, `text` or `json`
  ModelForm from = ModelForm::kOnnx;
  /// form of the output
  ModelForm to = ModelForm::kOnnx;
  /// size of the input, without external files
  std::uint64_t input_bytes = 0;
  /// files that were written, the model first
  std::vector<WrittenFile> files;
  /// true if weights moved to an external file because the file would be over 2 GiB
  bool moved_to_external = false;
  /// tensors over the threshold that stay inside because shape inference reads them
  std::uint64_t kept_inside = 0;
  /// with option `repair`: repairs that were written to the output
  std::uint64_t repairs = 0;
  /// graphs whose nodes were unsorted in the input and are sorted in the output
  std::uint64_t sorted_graphs = 0;
  /// of a text without a header: the IR version and the opsets that were chosen for it; empty otherwise
  std::string header;
  /// what was removed
  StripReport stripped;
  /// what the output cannot hold, or no longer holds
  std::vector<std::string> lost;
};

/// What DownloadTarget::compressor can be.
enum class Compressor : std::uint8_t {
  kGzip,    ///< gzip -9
  kBrotli,  ///< brotli -q 11
  kZstd,    ///< zstd -19
};

/// "15MB:brotli": the most that a download may take.
struct DownloadTarget {
  std::uint64_t bytes = 0;                      ///< size after compression
  Compressor compressor = Compressor::kBrotli;  ///< how it is compressed
  /// The same size and compressor.
  friend bool operator==(const DownloadTarget&, const DownloadTarget&) = default;
};

/// Sizes of a model after compressors (InfoReport::compressed).
struct CompressedSizes {
  /// after gzip -9
  std::uint64_t gzip = 0;
  /// after brotli -q 11
  std::uint64_t brotli = 0;
  /// after zstd -19
  std::uint64_t zstd = 0;
};

/// Reads a model from a file; the name or the first bytes determine the form.
///
/// The file is mapped, and weights stay in it until they are accessed, so it must not be changed while the model
/// exists. Throws Error.
Model load_model(const std::filesystem::path& path, const LoadOptions& options = {});

/// Reads a model from memory, in any form; the first bytes determine the form.
///
/// External data is looked up in the current folder when a tensor that is stored there is accessed. If it is in memory,
/// too, `external` returns the content of each file that the model names:
///
///     std::map<std::string, Bytes, std::less<>> files = ...;
///     LoadOptions options;
///     options.external = [files](std::string_view location) -> std::optional<Bytes> {
///       const auto found = files.find(location);
///       return found == files.end() ? std::nullopt : std::optional(found->second);
///     };
Model load_model(const Bytes& content, const LoadOptions& options = {});

/// Writes a model to a file, completely or not at all, in the form of the file's name (.onnx, .onnxtxt, .json).
///
/// The weights of large models go into a second file next to it. Values without a name get one. Options `repair` and
/// `strip` have no effect: they are for files. Throws Error.
ConvertReport save_model(Model& model, const std::filesystem::path& path, const ConvertOptions& options = {});

/// Writes the model to memory. Weights in external files move inside, and stay there. Throws Error if the model does
/// not fit the form (.onnx is limited to 2 GiB).
Bytes save_model(Model& model, ModelForm form = ModelForm::kOnnx);

/// The report as JSON: what the command prints with --json.
std::string to_json(const ConvertReport& report);

}  // namespace onnxpress

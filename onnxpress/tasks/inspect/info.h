// What is in a model: the report behind `onnxpress info`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/summary.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/profile/compute_line.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress::tasks {

enum class TensorOrder : std::uint8_t { kSize, kName, kFile };

template <>
struct Words<TensorOrder> {
  static constexpr std::pair<std::string_view, TensorOrder> kAll[] = {
      {"size", TensorOrder::kSize}, {"name", TensorOrder::kName}, {"order", TensorOrder::kFile}};
};

struct InfoOptions {
  bool tensors = false, duplicates = false, all_inputs = false, compressed = false;
  TensorOrder sort = TensorOrder::kSize;
  std::uint64_t top = 10;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensors", &InfoOptions::tensors, "list every weight: initializers, Constant nodes, bodies and functions");
    visit("sort", &InfoOptions::sort, "order of that list: by size (default), by name, or as in the file");
    visit("duplicates", &InfoOptions::duplicates, "find weights that are stored more than once (reads the weights)");
    visit("all_inputs", &InfoOptions::all_inputs,
          "list each input and output separately, including initializers that are inputs");
    visit("compressed", &InfoOptions::compressed,
          "also report the size after gzip -9, brotli -11 and zstd -19 (slow: about a second per megabyte)");
    visit("top", &InfoOptions::top, "how many of the largest tensors and duplicates to show (default 10)");
    visit("", &InfoOptions::load, "");
  }
};

struct TensorLine {
  std::string name, type;
  std::vector<std::int64_t> shape;
  std::optional<std::uint64_t> elements;
  std::uint64_t bytes = 0;
  std::string place, scope, node, attribute, external_file;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &TensorLine::name, "name of the initializer, or of the output of the Constant node");
    visit("type", &TensorLine::type, "element type");
    visit("shape", &TensorLine::shape, "dimensions");
    visit("elements", &TensorLine::elements, "their product; null when the shape is damaged");
    visit("bytes", &TensorLine::bytes, "bytes of its content");
    visit("place", &TensorLine::place,
          "`initializer`, `Constant node`, `attribute`, `sparse values` or `sparse indices`");
    visit("scope", &TensorLine::scope, "body or function that contains it; empty for the main graph");
    visit("node", &TensorLine::node, "tensors in attributes: the node's operator");
    visit("attribute", &TensorLine::attribute, "tensors in attributes: the attribute");
    visit("external_file", &TensorLine::external_file,
          "the external file with the content; empty if it is inside the model");
  }
};

struct BytePart {
  std::string part;
  std::uint64_t bytes = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("part", &BytePart::part, "what these bytes are");
    visit("bytes", &BytePart::bytes, "how many");
  }
};

struct ExternalFileLine {
  std::string location;
  std::uint64_t tensors = 0, used_bytes = 0;
  std::optional<std::uint64_t> file_bytes;
  std::string problem;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("location", &ExternalFileLine::location, "path, relative to the model's folder");
    visit("tensors", &ExternalFileLine::tensors, "how many tensors are in it");
    visit("used_bytes", &ExternalFileLine::used_bytes, "bytes of the file that belong to at least one tensor");
    visit("file_bytes", &ExternalFileLine::file_bytes, "size of the file; null when it cannot be opened");
    visit("problem", &ExternalFileLine::problem, "why it cannot be opened; empty if it can");
  }
};

struct ByteTotals {
  std::uint64_t total = 0, external = 0;
  std::vector<BytePart> parts;
  std::vector<ExternalFileLine> external_files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("total", &ByteTotals::total, "size of the .onnx file (for text and JSON: of the .onnx file it would be)");
    visit("parts", &ByteTotals::parts, "where these bytes are, largest first; they always sum to `total`");
    visit("external", &ByteTotals::external, "size of all external files together");
    visit("external_files", &ByteTotals::external_files, "files next to the model that contain weights");
  }
};

struct DuplicateLine {
  std::uint64_t bytes = 0, copies = 0, saving = 0;
  std::vector<TensorLine> tensors;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("bytes", &DuplicateLine::bytes, "bytes of one copy");
    visit("copies", &DuplicateLine::copies, "how often these bytes are stored");
    visit("saving", &DuplicateLine::saving, "what storing them once would save");
    visit("tensors", &DuplicateLine::tensors, "the tensors that hold them");
  }
};

struct UnreadLine {
  std::string name, reason;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &UnreadLine::name, "name of the tensor");
    visit("reason", &UnreadLine::reason, "why its content could not be read");
  }
};

struct DuplicateTotals {
  std::uint64_t duplicated_bytes = 0, bytes_same_tensor = 0, bytes_same_bytes = 0, bytes_read = 0;
  std::vector<DuplicateLine> same_tensor, same_bytes;
  std::vector<UnreadLine> unreadable;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("duplicated_bytes", &DuplicateTotals::duplicated_bytes, "what storing everything once would save");
    visit("bytes_same_tensor", &DuplicateTotals::bytes_same_tensor, "of these, in tensors of the same type and shape");
    visit("bytes_same_bytes", &DuplicateTotals::bytes_same_bytes, "of these, in tensors of another type or shape");
    visit("bytes_read", &DuplicateTotals::bytes_read, "bytes that had to be read");
    visit("same_tensor", &DuplicateTotals::same_tensor, "groups of equal tensors, largest saving first");
    visit("same_bytes", &DuplicateTotals::same_bytes,
          "groups of tensors with equal bytes but different types or shapes");
    visit("unreadable", &DuplicateTotals::unreadable, "tensors whose content could not be read");
  }
};

struct InfoReport {
  std::string file;
  ModelFormat format = ModelFormat::kOnnx;
  std::uint64_t file_bytes = 0;
  analysis::Summary model;
  analysis::WeightTotals weights;
  std::vector<TensorLine> largest;
  ByteTotals bytes;
  std::optional<CompressedSizes> compressed;
  std::optional<DuplicateTotals> duplicates;
  std::optional<std::vector<TensorLine>> tensors;
  std::uint64_t repairs = 0, problems = 0;
  ComputeLine compute;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &InfoReport::file, "path, as given");
    visit("format", &InfoReport::format, "`onnx`, `text` or `json`");
    visit("file_bytes", &InfoReport::file_bytes, "size of the file");
    visit("", &InfoReport::model, "");
    visit("weights", &InfoReport::weights, "totals over all weights");
    visit("compute", &InfoReport::compute, "how much work one run takes");
    visit("largest", &InfoReport::largest, "the largest tensors, up to option `top`");
    visit("bytes", &InfoReport::bytes, "where the bytes are");
    visit("compressed", &InfoReport::compressed,
          "with option `compressed`: sizes of the file and its external files after each compressor; otherwise null");
    visit("duplicates", &InfoReport::duplicates, "with option `duplicates`: duplicated weights; otherwise null");
    visit("tensors", &InfoReport::tensors, "with option `tensors`: every weight; otherwise null");
    visit("repairs", &InfoReport::repairs,
          "problems that the reader tolerated or repaired; `onnxpress check` names them");
    visit("problems", &InfoReport::problems, "problems that remain; `onnxpress check` names them");
  }
};

// Does not read the weights, unless duplicates are asked for. Sizes are those of the model if it were written now.
// Values without a name get one.
InfoReport info(const Model& model, const InfoOptions& options = {});
// The same for a model that was just read: sizes are those of its file.
InfoReport info_as_read(const Model& model, ModelFormat format, std::uint64_t file_bytes,
                        const InfoOptions& options = {});

using InfoRow = ReportRow<InfoReport>;

std::string to_json(const InfoReport& report);
// {"models": [...]}: reports, and {"file", "error", "hint"} for those that failed.
std::string to_json(const std::vector<InfoRow>& rows);

}  // namespace onnxpress::tasks

// Writes a model in another form: .onnx, ONNX text or JSON, with its weights inside or in external files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/files/strip.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct WeightOptions {
  static constexpr std::string_view kTitle = "Weights";
  std::optional<std::string> external_data;  // empty: OUTPUT.data
  std::uint64_t external_threshold = 1024;
  bool external_attributes = false, single_file = false, overwrite_external = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("external_data", &WeightOptions::external_data,
          "put large weights into a file next to the output (default: OUTPUT.data)");
    visit("external_threshold", &WeightOptions::external_threshold,
          "weights smaller than this stay inside (default 1024)");
    visit("external_attributes", &WeightOptions::external_attributes,
          "also move tensors out of Constant nodes and other attributes");
    visit("single_file", &WeightOptions::single_file, "move weights from external files into the output");
    visit("overwrite_external", &WeightOptions::overwrite_external,
          "replace existing files when external files are copied to another folder");
  }
};

struct ConvertOptions {
  std::optional<ModelFormat> to;
  std::optional<std::uint64_t> elide;
  bool repair = false, encode_anew = false;
  WeightOptions weights;
  StripOptions strip;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("to", &ConvertOptions::to, "form of the output, regardless of its name");
    visit("elide", &ConvertOptions::elide, "text: shorten tensors with more elements than this");
    visit("repair", &ConvertOptions::repair,
          "write the repairs made while reading: sorted nodes, missing opset imports");
    visit("encode_anew", &ConvertOptions::encode_anew,
          "encode everything again, in canonical form, instead of copying unchanged parts");
    visit("", &ConvertOptions::weights, "");
    visit("", &ConvertOptions::strip, "");
    visit("", &ConvertOptions::load, "");
  }
};

struct ConvertReport {
  std::string input, output;
  ModelFormat from = ModelFormat::kOnnx, to = ModelFormat::kOnnx;
  std::uint64_t input_bytes = 0, repairs = 0, sorted_graphs = 0, kept_inside = 0;
  std::vector<WrittenFile> files;
  bool moved_to_external = false;
  StripReport stripped;
  std::vector<std::string> lost;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("input", &ConvertReport::input, "path of the input");
    visit("output", &ConvertReport::output, "path of the output");
    visit("from", &ConvertReport::from, "form of the input: `onnx`, `text` or `json`");
    visit("to", &ConvertReport::to, "form of the output");
    visit("input_bytes", &ConvertReport::input_bytes, "size of the input, without external files");
    visit("files", &ConvertReport::files, "files that were written, the model first");
    visit("moved_to_external", &ConvertReport::moved_to_external,
          "true if weights moved to an external file because the file would be over 2 GiB");
    visit("kept_inside", &ConvertReport::kept_inside,
          "tensors over the threshold that stay inside because shape inference reads them");
    visit("repairs", &ConvertReport::repairs, "with option `repair`: repairs that were written to the output");
    visit("sorted_graphs", &ConvertReport::sorted_graphs,
          "graphs whose nodes were unsorted in the input and are sorted in the output");
    visit("stripped", &ConvertReport::stripped, "what was removed");
    visit("lost", &ConvertReport::lost, "what the output cannot hold, or no longer holds");
  }
};

// The form of OUTPUT: option `to`, or what the file name implies; nullopt when neither decides it.
std::optional<ModelFormat> output_format(const std::string& output, const ConvertOptions& options);

// What the caller of convert() provides.
struct ConvertStreams {
  std::function<void(std::string_view)> standard_output;                  // takes the model when OUTPUT is "-"
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // bytes of a long write; may be empty
};

// Reads INPUT ("-": standard input), writes OUTPUT ("-": standard output) whole or not at all. Both may be the same
// file. Throws Error.
ConvertReport convert(const std::string& input, const std::string& output, const ConvertOptions& options,
                      const ConvertStreams& streams);

// The second half of convert(), for a model in memory. Options `repair` and `strip` have no effect.
ConvertReport save_as(Model& model, const std::string& output, const ConvertOptions& options,
                      const ConvertStreams& streams);

std::string to_json(const ConvertReport& report);

}  // namespace onnxpress::tasks

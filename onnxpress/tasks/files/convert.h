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
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// The form of OUTPUT: option `to`, or what the file name implies; nullopt when neither decides it.
std::optional<ModelForm> output_format(const std::string& output, const ConvertOptions& options);

// Throws OptionError for options that cannot be combined, or that do not fit the output.
void require_sense(const std::string& output, const ConvertOptions& options);

// What the caller of convert() provides.
struct ConvertStreams {
  std::function<void(std::string_view)> standard_output;                  // takes the model when OUTPUT is "-"
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // bytes of a long write; may be empty
};

// Reads INPUT ("-": standard input), writes OUTPUT ("-": standard output) whole or not at all. Both may be the same
// file. Throws Error.
ConvertReport convert(const std::string& input, const std::string& output, const ConvertOptions& options,
                      const ConvertStreams& streams);

// The second half of convert(), for a model in memory, which stays as it is.
ConvertReport save_as(Model& model, const std::string& output, const ConvertOptions& options,
                      const ConvertStreams& streams);

std::string to_json(const ConvertReport& report);

}  // namespace onnxpress

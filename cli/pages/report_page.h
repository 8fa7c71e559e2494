// `--report page.html` of `shrink` and `quantize`: the report as a self-contained web page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/inspect/info.h"

namespace onnxpress::cli {

// Throws UsageError unless the name ends in .html and is none of `others`, which the command reads or writes; throws
// Error if something other than a page is already there: it may be data of the model.
void require_page_name(const std::string& page, const std::vector<std::string>& others);

struct PageTensor {
  std::string name, type;
  std::uint64_t bytes = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &PageTensor::name, "name of the tensor");
    visit("type", &PageTensor::type, "element type");
    visit("bytes", &PageTensor::bytes, "bytes of its content");
  }
};

// What a file is made of.
struct PageFileContent {
  std::vector<BytePart> parts;      // of the model file
  std::uint64_t tensor_bytes = 0;   // of all tensors, external ones included
  std::vector<PageTensor> tensors;  // the largest

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("parts", &PageFileContent::parts, "what the bytes of the file are");
    visit("tensor_bytes", &PageFileContent::tensor_bytes, "bytes of all tensors");
    visit("tensors", &PageFileContent::tensors, "the largest of them");
  }
};

// nullopt if the file cannot be read.
std::optional<PageFileContent> page_content_of(const std::string& path, const LoadOptions& load);

struct PageData {
  const std::string& report;       // as JSON
  const std::string& file;         // path of the input
  std::vector<std::string> asked;  // the options as written on a command line
  std::optional<PageFileContent> before, after;
};

// Names from the model cannot become markup or script.
std::string report_page(const PageData& data);

}  // namespace onnxpress::cli

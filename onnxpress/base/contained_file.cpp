// Checks what a location in a file may look like; the platform opens it.
#include "onnxpress/base/contained_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/refuse_location.h"

namespace onnxpress {

namespace {

constexpr std::string_view kTrustHint = "if you trust this model, allow it with option `allow_outside_paths`";

}  // namespace

namespace platform {

void refuse_location(std::string_view location, std::string_view why) {
  throw Error(fmt::format("external data {}", quote_name(location)), std::string(why), std::string(kTrustHint));
}

}  // namespace platform

void require_contained_location(std::string_view location) {
  if (location.empty()) throw Error("external data", "has no location", "the model file is damaged; export it again");
  if (location.find('\0') != std::string_view::npos)
    platform::refuse_location(location, "the path contains a NUL byte");
  if (location.find("_ORT_MEM_ADDR_") != std::string_view::npos)
    platform::refuse_location(location, "is an in-memory address of ONNX Runtime, not a file");
  if (location.front() == '/') platform::refuse_location(location, "is an absolute path");
  // The path may have been written on Windows, where backslashes separate and drive letters make a path absolute, so
  // treat it that way everywhere.
  if (location.front() == '\\' || (location.size() > 1 && location[1] == ':'))
    platform::refuse_location(location, "is an absolute path");
  for (std::size_t begin = 0; begin <= location.size();) {
    const std::size_t end = std::min(location.find_first_of("/\\", begin), location.size());
    if (location.substr(begin, end - begin) == "..") platform::refuse_location(location, "contains '..'");
    begin = end + 1;
  }
}

}  // namespace onnxpress

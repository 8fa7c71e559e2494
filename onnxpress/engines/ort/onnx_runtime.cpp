// Opens the library and holds its table of functions. The library is never closed: its threads and thread-local objects
// do not survive that.
#include "onnxpress/engines/ort/onnx_runtime.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/shared_library.h"
#include "onnxpress/base/utf8.h"

namespace onnxpress::engines {

namespace {

// The runtime's messages quote names from the model, and may have several lines.
std::string one_line(std::string_view message) {
  constexpr std::size_t kLongest = 400;
  std::string out;
  std::string_view rest = utf8_head(message, kLongest);
  while (!rest.empty()) {
    if (rest.front() == '\n' || rest.front() == '\t') {
      if (!out.ends_with(' ')) out += ' ';
      rest.remove_prefix(1);
    } else {
      rest.remove_prefix(append_harmless(out, rest));
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return message.size() > kLongest ? out + " ..." : out;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint) {
  Error error("", why, hint);
  error.set_file(path);
  throw error;
}

}  // namespace

OnnxRuntime::OnnxRuntime(std::string path, const abi::ApiBase& base)
    : path_(std::move(path)), version_(base.version_string()), base_(base), table_(base.get_api(abi::kVersion)) {
  if (!table_) {
    refuse(
        path_, fmt::format("ONNX Runtime {} is too old or too new", version_),
        fmt::format("it must have version {} of the C interface, as 1.{} and later do", abi::kVersion, abi::kVersion));
  }
  call<abi::CreateEnv>(abi::kOnlyFatalMessages, "onnxpress", &env_);
  try {
    call<abi::DisableTelemetry>(env_);
  } catch (...) {
    entry<abi::ReleaseEnv>()(env_);
    throw;
  }
}

OnnxRuntime::~OnnxRuntime() { entry<abi::ReleaseEnv>()(env_); }

void OnnxRuntime::fail(abi::Status* status) const {
  const std::string message = one_line(entry<abi::MessageOf>()(status));
  entry<abi::ReleaseStatus>()(status);
  throw Error("ONNX Runtime " + version_, message);
}

std::shared_ptr<const OnnxRuntime> OnnxRuntime::open(const std::string& path) {
  const platform::OpenedLibrary library = platform::open_library(path);
  if (!library.handle) refuse(path, fmt::format("cannot be loaded: {}", one_line(library.failure)), kHowToGet);
  void* symbol = platform::find_symbol(library, abi::kApiBaseName);
  if (!symbol) refuse(path, fmt::format("is not ONNX Runtime: it has no {}", abi::kApiBaseName), kHowToGet);
  const abi::ApiBase* base = reinterpret_cast<const abi::ApiBase* (*)()>(symbol)();
  return std::shared_ptr<const OnnxRuntime>(new OnnxRuntime(path, *base));
}

std::shared_ptr<const OnnxRuntime> OnnxRuntime::find() {
  if (const char* named = std::getenv("ONNXPRESS_ORT"); named && *named) {
    if (std::string_view(named) == "none") return nullptr;
    try {
      return open(named);
    } catch (Error& error) {
      error.add_outer_place("ONNXPRESS_ORT");
      throw;
    }
  }
  for (const std::string& candidate : library_candidates()) {
    try {
      return open(candidate);
    } catch (const Error&) {  // missing, or not for this machine: try the next
    }
  }
  return nullptr;
}

}  // namespace onnxpress::engines

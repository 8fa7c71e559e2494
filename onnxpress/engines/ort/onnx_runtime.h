// OnnxRuntime: the ONNX Runtime library of this machine, loaded on request. Nothing else needs it.
//
// Running a model means running code: ONNX Runtime is then as exposed to an untrusted file as we are.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/engines/ort/ort_abi.h"

namespace onnxpress::engines {

// Where the library may be, in order of preference: names for the loader's own search, then paths inside Python
// packages.
std::vector<std::string> library_candidates();

class OnnxRuntime {
 public:
  // The library that ONNXPRESS_ORT names (throws Error when it cannot be used; "none" means no library), else the first
  // candidate that works; null when there is none.
  static std::shared_ptr<const OnnxRuntime> find();
  // Throws Error, with the loader's reason, when the library cannot be used. Since 1.31, ONNX Runtime's packages for
  // Linux report usage to their makers, and leave a temporary file, unless ORT_DISABLE_TELEMETRY=1 is in the
  // environment before the first call (see its docs/Privacy.md). The environment belongs to the program: the onnxpress
  // command sets it, other programs decide for themselves.
  static std::shared_ptr<const OnnxRuntime> open(const std::string& path);
  ~OnnxRuntime();
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;

  const std::string& version() const { return version_; }  // "1.31.1"
  const std::string& path() const { return path_; }        // as it was opened
  const abi::Env* env() const { return env_; }
  // Whether its table also has the entries of this version of the interface.
  bool has_version(std::uint32_t version) const { return base_.get_api(version) != nullptr; }

  // A function that cannot fail.
  template <typename Entry>
  typename Entry::Function entry() const {
    return reinterpret_cast<typename Entry::Function>(const_cast<void*>(table_[Entry::kSlot]));
  }
  // Calls a function that returns a Status, and turns a failure into an Error.
  template <typename Entry, typename... Arguments>
  void call(Arguments... arguments) const {
    if (abi::Status* status = entry<Entry>()(arguments...)) fail(status);
  }

 private:
  OnnxRuntime(std::string path, const abi::ApiBase& base);
  [[noreturn]] void fail(abi::Status* status) const;

  std::string path_, version_;
  const abi::ApiBase& base_;
  const void* const* table_ = nullptr;
  abi::Env* env_ = nullptr;
};

// Owns an object of the library.
template <typename T, typename Release>
class Handle {
 public:
  explicit Handle(std::shared_ptr<const OnnxRuntime> runtime) : runtime_(std::move(runtime)) {}
  Handle(Handle&& other) noexcept
      : runtime_(std::move(other.runtime_)), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (object_) runtime_->entry<Release>()(object_);
  }

  T* get() const { return object_; }
  T** out() { return &object_; }  // for a function that makes the object
  const std::shared_ptr<const OnnxRuntime>& runtime() const { return runtime_; }

 private:
  std::shared_ptr<const OnnxRuntime> runtime_;
  T* object_ = nullptr;
};

using ValueHandle = Handle<abi::Value, abi::ReleaseValue>;
using SessionHandle = Handle<abi::Session, abi::ReleaseSession>;
using SessionOptionsHandle = Handle<abi::SessionOptions, abi::ReleaseSessionOptions>;
using CudaOptionsHandle = Handle<abi::CudaOptions, abi::ReleaseCudaOptions>;
using TypeInfoHandle = Handle<abi::TypeInfo, abi::ReleaseTypeInfo>;
using TensorInfoHandle = Handle<abi::TensorInfo, abi::ReleaseTensorInfo>;
using MemoryInfoHandle = Handle<abi::MemoryInfo, abi::ReleaseMemoryInfo>;

}  // namespace onnxpress::engines

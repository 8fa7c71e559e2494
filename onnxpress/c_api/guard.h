// No exception leaves the C interface: each becomes a result and an error.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/onnxpress_c.h"

namespace onnxpress::c_api {

// The call makes no sense.
class BadCall : public Error {
 public:
  explicit BadCall(const std::string& message, const std::string& hint = {}) : Error("", message, hint) {}
};

// The call is done, and the answer is no.
class AnswerIsNo : public Error {
 public:
  explicit AnswerIsNo(const std::string& why, const std::string& hint = {}) : Error("", why, hint) {}
};

// The progress function wants the call to end. Not a std::exception, so that no task takes it for a failure of its own.
struct Cancelled {};

// To be called while an exception is handled: the result it stands for, with the error.
int fail(onnxpress_error** error) noexcept;

template <typename Work>
int guarded(onnxpress_error** error, const Work& work) noexcept {
  if (error) *error = nullptr;
  try {
    work();
    return ONNXPRESS_DONE;
  } catch (...) {
    return fail(error);
  }
}

template <typename T>
T& require(T* argument, const char* name) {
  if (!argument) throw BadCall(fmt::format("argument '{}' is NULL", name));
  return *argument;
}

}  // namespace onnxpress::c_api

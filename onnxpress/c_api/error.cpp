// Errors of the C interface, and which result stands for which exception.
#include <new>

#include "onnxpress/base/option_error.h"
#include "onnxpress/base/version.h"
#include "onnxpress/c_api/guard.h"
#include "onnxpress/c_api/handles.h"

namespace onnxpress::c_api {

namespace {

// Exists before memory runs out, and is never freed.
onnxpress_error out_of_memory{"out of memory", "close other programs, or use a machine with more memory", ""};

constexpr const char* kBug = "this is a bug in onnxpress; please report it";

int tell(onnxpress_error** error, int code, const std::string& text, const std::string& hint, const std::string& file) {
  if (error) *error = new onnxpress_error{text, hint, file};
  return code;
}

int tell(onnxpress_error** error, int code, const Error& why) {
  return tell(error, code, why.what(), why.hint(), why.file());
}

// Throws std::bad_alloc if there is no memory even for the error.
int fail_with_error(onnxpress_error** error) {
  try {
    throw;
  } catch (const BadCall& why) {
    return tell(error, ONNXPRESS_BAD_CALL, why);
  } catch (const OptionError& why) {
    return tell(error, ONNXPRESS_BAD_CALL, why);
  } catch (const AnswerIsNo& why) {
    return tell(error, ONNXPRESS_NO, why);
  } catch (const Error& why) {
    return tell(error, ONNXPRESS_FAILED, why);
  } catch (const Cancelled&) {
    return tell(error, ONNXPRESS_CANCELLED, "the progress function ended the call", "", "");
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& why) {
    return tell(error, ONNXPRESS_FAILED, fmt::format("unexpected: {}", why.what()), kBug, "");
  } catch (...) {
    return tell(error, ONNXPRESS_FAILED, "unexpected exception", kBug, "");
  }
}

}  // namespace

int fail(onnxpress_error** error) noexcept {
  try {
    return fail_with_error(error);
  } catch (...) {
    if (error) *error = &out_of_memory;
    return ONNXPRESS_FAILED;
  }
}

}  // namespace onnxpress::c_api

extern "C" {

const char* onnxpress_version(void) { return onnxpress::version().data(); }

const char* onnxpress_error_text(const onnxpress_error* error) { return error ? error->text.c_str() : ""; }
const char* onnxpress_error_hint(const onnxpress_error* error) { return error ? error->hint.c_str() : ""; }
const char* onnxpress_error_file(const onnxpress_error* error) { return error ? error->file.c_str() : ""; }

void onnxpress_error_free(onnxpress_error* error) {
  if (error != &onnxpress::c_api::out_of_memory) delete error;
}

}  // extern "C"

/// \file
/// The error for an option that cannot be followed, whatever the model is.
#pragma once

#include <string>
#include <utility>

#include "onnxpress/base/error.h"

namespace onnxpress {

/// A value that is not valid, or options that exclude each other. The command answers with exit code 2; elsewhere it is
/// an error like others. An option that does not fit a certain model is a plain Error.
class OptionError : public Error {
 public:
  /// The message names options as "option `max_size`".
  explicit OptionError(std::string message, std::string hint = {}) : Error("", std::move(message), std::move(hint)) {}
};

}  // namespace onnxpress

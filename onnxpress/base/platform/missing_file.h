/// \file
/// The error for a file that does not exist.
#pragma once

#include "onnxpress/base/error.h"

namespace onnxpress {

/// A file that does not exist: a model, or an external file with weights.
class MissingFile : public Error {
 public:
  using Error::Error;
};

}  // namespace onnxpress

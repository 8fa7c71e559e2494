/// \file
/// The content of standard input, which can be read only once: this object keeps it.
#pragma once

#include <mutex>

#include "onnxpress/base/bytes.h"

namespace onnxpress {

/// Shared by all copies of options, because some calls load a model twice.
class StandardInput {
 public:
  /// The input of this process, read to its end when content() is first called.
  StandardInput() = default;
  /// The same for content that was read already: for front ends without a standard input, and for tests.
  explicit StandardInput(Bytes content);

  /// Throws Error when it cannot be read.
  const Bytes& content();

 private:
  std::once_flag read_;
  Bytes content_;
};

}  // namespace onnxpress

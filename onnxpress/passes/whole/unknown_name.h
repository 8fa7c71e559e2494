// The error for a name that the model does not have; it carries all names of the model, so that callers can suggest
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/error.h"

namespace onnxpress::passes {

struct UnknownName : Error {
  UnknownName(std::string_view kind, std::string wanted, std::vector<std::string> there_are)
      : Error("", "the model has no " + std::string(kind) + " " + quote_name(wanted),
              "'info' lists the constants with option `tensors`"),
        name(std::move(wanted)),
        known(std::move(there_are)) {}

  std::string name;
  std::vector<std::string> known;
};

}  // namespace onnxpress::passes

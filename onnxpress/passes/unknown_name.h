// The model has nothing of a name that was asked for; with all names that it has, for those who guess what was meant.
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

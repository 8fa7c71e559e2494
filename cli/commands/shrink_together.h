// `onnxpress shrink A B --share FILE`: chooses where the results go, and reports on all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::cli {

struct TogetherArguments {
  std::vector<std::string> models;
  std::string share;   // path or name of the shared file
  std::string output;  // folder of the results; empty: that of `share`, or that of the models
  bool json = false;
};

// Throws UsageError if the results would not be next to the shared file.
int shrink_together(const TogetherArguments& arguments, const ShrinkOptions& options);

}  // namespace onnxpress::cli

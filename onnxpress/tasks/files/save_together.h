// Saves several models that belong together, such as the stages of a split: all of them, or none.
#pragma once

#include <span>
#include <string>

#include "onnxpress/format/write_shared.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

struct SaveTarget {
  Model* model = nullptr;
  std::string output;  // all outputs are in one folder
  ResultCheck check = {};
  OriginalModel original = {};
};

// As save_checked() does for one model; SaveRequest::output, check and original are not used. With `shared`, the
// weights are in one file for all models: it was made from the same models and outputs. Throws Error, and leaves all
// files as they were then.
SaveReport save_together(std::span<const SaveTarget> targets, const format::SharedWriter* shared,
                         const SaveRequest& request);

}  // namespace onnxpress

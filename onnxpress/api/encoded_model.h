// Passes a model in memory to tasks that start from an encoded model.
#pragma once

#include <memory>

#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/files/load_model.h"

namespace onnxpress {

// Load options with which the file name "-" means `model`.
inline tasks::LoadOptions memory_of(Model& model) {
  tasks::LoadOptions options;
  options.standard_input =
      std::make_shared<StandardInput>(model.changed() ? Bytes::owned(format::encode_model(model)) : model.origin);
  return options;
}

}  // namespace onnxpress

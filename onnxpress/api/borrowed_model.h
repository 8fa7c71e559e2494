// Lends the caller's model to a task, which takes a model together with its origin. The caller gets it back even if the
// task throws.
#pragma once

#include <utility>

#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/files/load_model.h"

namespace onnxpress {

class BorrowedModel {
 public:
  explicit BorrowedModel(Model& model) : model_(model) {
    loaded.name = model.path.string();
    loaded.file_bytes = format::encoded_size(model).message;
    loaded.model = std::move(model);
  }
  BorrowedModel(const BorrowedModel&) = delete;
  BorrowedModel& operator=(const BorrowedModel&) = delete;
  ~BorrowedModel() { model_ = std::move(loaded.model); }

  tasks::LoadedModel loaded;

 private:
  Model& model_;
};

}  // namespace onnxpress

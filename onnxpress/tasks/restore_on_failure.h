// Gives a model back as it was if a task fails.
#pragma once

#include <utility>

#include "onnxpress/ir/model.h"

namespace onnxpress {

class RestoreOnFailure {
 public:
  // The copy shares the weights of the model.
  explicit RestoreOnFailure(Model& model) : model_(model), original_(model.clone()) {}
  RestoreOnFailure(const RestoreOnFailure&) = delete;
  RestoreOnFailure& operator=(const RestoreOnFailure&) = delete;
  ~RestoreOnFailure() {
    if (!is_kept_) model_ = std::move(original_);
  }

  // The model before the task.
  const Model& original() const { return original_; }
  // The task is done, and its changes stay.
  void keep() { is_kept_ = true; }

 private:
  Model& model_;
  Model original_;
  bool is_kept_ = false;
};

}  // namespace onnxpress

// The fields of the structs in onnxpress/options.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/options.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Fields<BindingOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("shape", &BindingOptions::shape, "shape of an input: x=1x3x224x224, or x=batch,3,H,W");
    visit("dim", &BindingOptions::dim, "size of a named dim: batch=8");
    visit("value", &BindingOptions::value, "value of an input that shapes depend on: size=640,640");
  }
};

}  // namespace onnxpress

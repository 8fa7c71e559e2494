// Replaces references to files by the bytes that they refer to.
#include "onnxpress/tasks/files/take_weights_inside.h"

#include "onnxpress/ir/walk.h"

namespace onnxpress {

void take_weights_inside(Model& model) {
  for_each_tensor(model, [](Tensor& tensor, const TensorPlace& place) {
    if (!std::holds_alternative<FileRange>(tensor.content)) return;
    tensor.content = tensor.bytes();
    tensor.storage = Storage::kMade;
    tensor.external_entries = {};
    tensor.changed = true;
    if (place.value) place.graph->mark_changed(*place.value);
    if (place.node) place.graph->mark_changed(*place.node, *place.attribute);
  });
}

}  // namespace onnxpress

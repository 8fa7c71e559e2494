// Looks for the note that readers leave if they could not sort the nodes.
#include "onnxpress/tasks/files/require_order.h"

#include "onnxpress/base/error.h"

namespace onnxpress {

void require_order(const Model& model) {
  for (const Note& note : model.notes) {
    if (note.code == "cycle") throw Error(note.where, note.message, "the model cannot be run; export it again");
  }
}

void require_outputs(const Model& model) {
  if (model.graph().outputs().empty())
    throw Error("", "the model has no outputs, so everything in it would count as unused",
                "declare the values that matter as outputs");
}

}  // namespace onnxpress

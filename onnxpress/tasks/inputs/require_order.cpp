// Looks for the note that readers leave if they could not sort the nodes.
#include "onnxpress/tasks/inputs/require_order.h"

#include "onnxpress/base/error.h"

namespace onnxpress::tasks {

void require_order(const Model& model) {
  for (const Note& note : model.notes) {
    if (note.code == "cycle") throw Error(note.where, note.message, "the model cannot be run; export it again");
  }
}

}  // namespace onnxpress::tasks

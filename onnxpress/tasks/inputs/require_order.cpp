// The readers sort nodes, and leave a note where that is impossible.
#include "onnxpress/tasks/inputs/require_order.h"

#include "onnxpress/base/error.h"

namespace onnxpress::tasks {

void require_order(const Model& model) {
  for (const Note& note : model.notes) {
    if (note.code == "cycle") throw Error(note.where, note.message, "the model cannot be run; export it again");
  }
}

}  // namespace onnxpress::tasks

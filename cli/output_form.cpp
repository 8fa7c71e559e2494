// What commands ask of the name of a result.
#include <fmt/format.h>

#include "cli/cell_text.h"
#include "cli/cli.h"
#include "onnxpress/tasks/inputs/load_model.h"

namespace onnxpress::cli {

void require_output_form(const std::string& output) {
  if (output == "-") throw UsageError("the report goes to standard output, so the model cannot", "say -o FILE");
  if (!tasks::format_of_name(output)) {
    throw UsageError(fmt::format("the name '{}' does not say which form the output shall have", printable(output)),
                     "end it in .onnx, .onnxtxt or .json");
  }
}

}  // namespace onnxpress::cli

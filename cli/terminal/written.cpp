// Prints reports to standard output, or to standard error if the model itself goes to standard output.
#include "cli/terminal/written.h"

#include <fmt/format.h>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/screen.h"

namespace onnxpress::cli {

ModelOutput required_output(const std::string& named, bool json) {
  if (named.empty()) throw UsageError("the name of the result is missing", "add -o FILE");
  require_output_form(named);
  return {named, json};
}

int show_written(const ModelOutput& output, const std::vector<WrittenFile>& files, const std::string& report,
                 bool json) {
  if (json) {
    print(report);
    return kDone;
  }
  output.deliver(files);
  output.report(report);
  for (const WrittenFile& file : files) {
    if (!output.is_standard_output())
      talk(fmt::format("wrote {}  {}\n", printable(file.path), exact_bytes(file.bytes)));
  }
  return kDone;
}

}  // namespace onnxpress::cli

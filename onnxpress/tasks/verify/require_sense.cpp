// Refuses options of verify that are not valid, or exclude each other.
#include "onnxpress/tasks/verify/require_sense.h"

#include <fmt/format.h>

#include <filesystem>

#include "onnxpress/base/option_error.h"

namespace onnxpress {

namespace {

// Option `samples` was a count once.
void require_folder(const std::string& samples) {
  const bool is_count = !samples.empty() && samples.find_first_not_of("0123456789") == std::string::npos;
  if (is_count && !std::filesystem::exists(samples))
    throw OptionError(fmt::format("option `samples` takes a folder of inputs, and there is no folder '{}'", samples),
                      fmt::format("option `sets={}` makes up that many sets of inputs", samples));
}

}  // namespace

void require_sense(const VerifyOptions& options) {
  if (options.tolerance < 0 || options.quality < 0)
    throw OptionError("option `tolerance` and option `quality` must be at least 0");
  if (options.time_limit < 0) throw OptionError("option `time_limit` must be at least 0");
  if (options.samples && options.sets)
    throw OptionError("option `samples` and option `sets` cannot be combined",
                      "use one of them: your own inputs, or made-up ones");
  if (options.samples) require_folder(*options.samples);
  if ((options.labels || options.metric) && !options.samples)
    throw OptionError("option `labels` and option `metric` need your own inputs", "add option `samples`");
  if (!options.provider.empty() && options.engine == RuntimeChoice::kOnnxpress)
    throw OptionError("option `provider` needs ONNX Runtime", "leave it out, or option `engine=onnxpress`");
}

}  // namespace onnxpress

// Suggests the nearest name, or lists all of them.
#include "onnxpress/tasks/settings/known_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"

namespace onnxpress {

void refuse_unknown_name(std::string_view kind, const std::string& word, const std::vector<std::string>& names) {
  const std::string guess = nearest(word, names);
  throw Error("", fmt::format("'{}' is neither a file nor a known {}", word, kind),
              guess.empty() ? fmt::format("known {}s: {}", kind, fmt::join(names, ", "))
                            : fmt::format("did you mean '{}'?", guess));
}

}  // namespace onnxpress

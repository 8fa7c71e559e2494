// Containment by paths: every link is resolved, and the result must be inside the folder. This does not notice an
// attacker who swaps a folder for a link between the check and the opening. Hard links are refused, because their other
// names are unknown.
#include "onnxpress/base/contained_file.h"

#include <fmt/format.h>

#include "onnxpress/base/platform/missing_file.h"
#include "onnxpress/base/platform/refuse_location.h"

namespace onnxpress {

namespace fs = std::filesystem;

std::shared_ptr<const MappedFile> open_contained(const fs::path& folder, std::string_view location, OutsidePaths policy,
                                                 FileAccess access) {
  if (policy == OutsidePaths::kAllow) {
    if (location.empty() || location.find('\0') != std::string_view::npos) require_contained_location(location);
    return MappedFile::open(folder / fs::path(location), access);
  }
  require_contained_location(location);
  std::error_code failed;
  const fs::path start = fs::canonical(folder.empty() ? fs::path(".") : folder, failed);
  const fs::path path = failed ? fs::path() : fs::canonical(start / fs::path(location), failed);
  if (failed) {
    const std::string place = fmt::format("external data {}", quote_name(location));
    const std::string message = fmt::format("cannot open: {}", failed.message());
    if (failed != std::errc::no_such_file_or_directory) throw Error(place, message);
    throw MissingFile(place, message, "put the file next to the model");
  }
  const fs::path relative = path.lexically_relative(start);
  if (relative.empty() || *relative.begin() == "..")
    platform::refuse_location(location, "leads outside the model's folder through a link");
  if (fs::is_regular_file(path, failed) && fs::hard_link_count(path, failed) > 1)
    platform::refuse_location(location, "is a hard link, so it may belong to a file outside the model's folder");
  return MappedFile::open(path, access);
}

}  // namespace onnxpress

/// \file
/// Opens a file named by untrusted data (an external-data location), but only if it really is inside the given
/// folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "onnxpress/base/descriptor.h"
#include "onnxpress/base/mapped_file.h"

namespace onnxpress {

/// What to do about external data that is outside the folder of its model.
enum class OutsidePaths {
  kRefuse,  ///< absolute paths, "..", links and hard links that lead out of the folder, devices and fifos are errors
  kAllow,   ///< the user trusts the file: paths are followed wherever they lead (but only to regular files)
};

/// Throws Error when `location` is not a plain relative path (nothing is opened). Used for reading and for writing.
void require_contained_location(std::string_view location);

/// Opens the folder that contains folder/location, for writing; missing folders in `location` are created.
/// Throws Error if one of them is a link: each is opened inside the previous one, so nothing can be swapped in between.
Descriptor open_contained_folder(const std::filesystem::path& folder, std::string_view location);

/// Opens folder/location for reading under the given policy. Throws Error; never blocks, never opens a device.
std::shared_ptr<const MappedFile> open_contained(const std::filesystem::path& folder, std::string_view location,
                                                 OutsidePaths policy, FileAccess access);

}  // namespace onnxpress

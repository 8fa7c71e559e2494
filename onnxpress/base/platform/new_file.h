// A file that is being written and does not have its final name yet: the operating system's part of AtomicFile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace onnxpress {
class MappedFile;
}

namespace onnxpress::platform {

// Without commit(), nothing remains. All functions throw Error, with the name of the file.
class NewFile {
 public:
  virtual ~NewFile() = default;

  virtual void write_at(std::uint64_t position, std::string_view bytes) = 0;
  // Copies inside the kernel, without reading the bytes. Returns how many bytes it copied; 0 when it cannot.
  virtual std::uint64_t copy_at(std::uint64_t position, const MappedFile& from, std::uint64_t offset,
                                std::uint64_t length) = 0;
  // Ends writing: the file has `size` bytes, zeros where nothing was written, and survives a power cut.
  virtual void sync(std::uint64_t size) = 0;
  // Gives the file its name, replacing an existing file. Call it after sync().
  virtual void commit() = 0;
};

std::unique_ptr<NewFile> create_file(const std::filesystem::path& path);
// The same for folder/location, but never through a link below `folder`. Creates the folders in `location`.
std::unique_ptr<NewFile> create_contained_file(const std::filesystem::path& folder, std::string_view location);

}  // namespace onnxpress::platform

// AtomicFile: writes a file whole or not at all. Content goes to a nameless (or temporary) file in the same folder, is
// synced, and takes the final name in one step; until then, and after any failure, the old file is untouched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace onnxpress {

class MappedFile;
namespace platform {
class NewFile;
}

class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  // The same for folder/location, where the location comes from a file: never goes through a link below `folder`.
  // Creates the folders in between.
  AtomicFile(const std::filesystem::path& folder, std::string_view location);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(), nothing remains

  void write(std::string_view bytes);
  // Copies a range from file to file, inside the kernel if possible.
  void copy_range(const MappedFile& from, std::uint64_t offset, std::uint64_t length);
  // Leaves a hole of zeros up to absolute position `offset` (for alignment and huge zero tensors), which takes no disk
  // space.
  void skip_to(std::uint64_t offset);
  std::uint64_t position() const { return position_ + buffer_.size(); }

  // Ends writing, but does not give the file its name yet. commit() then takes hardly any time, so that several files
  // can appear almost at once.
  void sync();
  // Flushes, syncs and gives the file its name, replacing an existing file.
  void commit();

 private:
  void flush();
  void write_all(std::string_view bytes);

  std::unique_ptr<platform::NewFile> file_;
  bool synced_ = false;
  std::uint64_t position_ = 0;
  std::string buffer_;
};

// Writes all of a file at once.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace onnxpress

/// \file
/// A file open for reading, memory-mapped or (for files that may be truncated meanwhile) read into memory as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "onnxpress/base/bytes.h"

namespace onnxpress {

/// How the content of a file gets into memory.
enum class FileAccess {
  kMap,   ///< costs only the pages that are accessed; the process gets SIGBUS if the file is truncated meanwhile
  kRead,  ///< costs memory for the whole file, but later changes to the file do no harm
};

/// The content of a file. Everything that points into it shares ownership of it.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
 public:
  /// Only regular files: a fifo would block, a device has no size, a folder no content.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path,
                                                FileAccess access = FileAccess::kMap);
  /// Takes over an open descriptor (which must be a regular file); `path` is for messages.
  static std::shared_ptr<const MappedFile> adopt(int descriptor, const std::filesystem::path& path, FileAccess access);
  /// Content in memory instead of a file; `path` is for messages.
  static std::shared_ptr<const MappedFile> in_memory(const Bytes& content, const std::filesystem::path& path);
  /// The whole content of a pipe or terminal, up to its end.
  static Bytes read_stream(int descriptor, std::string_view name);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return view_.size(); }
  /// The whole content; the result keeps this file open.
  Bytes bytes() const { return {view_, shared_from_this()}; }
  int descriptor() const { return descriptor_; }
  /// The offset of `view` in the file, if it points into this file's content; writers use it to copy from file to file.
  std::optional<std::uint64_t> offset_of(std::string_view view) const;
  /// Lets the system drop the pages of `view` from memory; they are read again when accessed. So reading all weights
  /// once needs memory only for a few buffers. Does nothing for a file that was read into memory.
  void release_pages(std::string_view view) const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  int descriptor_ = -1;
  bool mapped_ = false;
  std::shared_ptr<const void> memory_;  // owns the content if it is not mapped
  std::string_view view_;
};

}  // namespace onnxpress

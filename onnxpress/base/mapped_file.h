/// \file
/// A file open for reading, memory-mapped or (for files that may be cut while we look) read whole into memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "onnxpress/base/bytes.h"

namespace onnxpress {

/// How the content of a file gets into memory.
enum class FileAccess {
  kMap,   ///< costs only the pages that are looked at; the process gets SIGBUS if the file is cut meanwhile
  kRead,  ///< costs memory for the whole file, immune to whatever happens to it afterwards
};

/// The content of a file. Everything that points into it holds a share of it.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
 public:
  /// Only regular files: a fifo would block, a device has no size, a folder no content.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path,
                                                FileAccess access = FileAccess::kMap);
  /// Takes over an open descriptor (which must be a regular file); `path` is for messages.
  static std::shared_ptr<const MappedFile> adopt(int descriptor, const std::filesystem::path& path, FileAccess access);
  /// Content that is in memory already, in the place of a file; `path` is for messages.
  static std::shared_ptr<const MappedFile> in_memory(const Bytes& content, const std::filesystem::path& path);
  /// Everything a pipe or terminal gives, up to its end.
  static Bytes read_stream(int descriptor, std::string_view name);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return view_.size(); }
  /// The whole content; the result keeps this file open.
  Bytes bytes() const { return {view_, shared_from_this()}; }
  int descriptor() const { return descriptor_; }
  /// Where in the file `view` lies, if it points into this file's content: lets a writer copy file to file.
  std::optional<std::uint64_t> offset_of(std::string_view view) const;
  /// Pages of `view` that lie in this mapping need not stay resident: they are read again when touched. So looking at
  /// all weights once costs a few buffers, not their size. Does nothing for a file that was read into memory.
  void release_pages(std::string_view view) const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  int descriptor_ = -1;
  bool mapped_ = false;
  std::shared_ptr<const void> memory_;  // what holds the content when it is not mapped
  std::string_view view_;
};

}  // namespace onnxpress

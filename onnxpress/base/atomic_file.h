// AtomicFile: writes a file whole or not at all. Content goes to a nameless (or temporary) file in the same folder, is
// synced, and takes the final name in one step; until then, and after any failure, the old file is untouched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "onnxpress/base/descriptor.h"

namespace onnxpress {

class MappedFile;

class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  // The same for a name that comes from a file: folder/location, never through a link below `folder`. The folders
  // between are made.
  AtomicFile(const std::filesystem::path& folder, std::string_view location);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(): nothing remains

  void write(std::string_view bytes);
  // Moves a range file to file inside the kernel where it can.
  void copy_range(const MappedFile& from, std::uint64_t offset, std::uint64_t length);
  // Leaves a hole of zeros up to absolute position `offset` (alignment, huge zero tensors): costs no disk.
  void skip_to(std::uint64_t offset);
  std::uint64_t position() const { return position_ + buffer_.size(); }

  // The end of writing, without the name: commit() then takes hardly any time, so several files appear nearly at once.
  void sync();
  // Flushes, syncs and gives the file its name, replacing what was there.
  void commit();

 private:
  void flush();
  void write_all(const char* data, std::size_t size);
  [[noreturn]] void fail(std::string_view doing, int reason) const;
  void create();
  std::string temporary_name() const;
  void name_nameless_file();

  // The folder is opened once: if somebody swaps it for a link meanwhile, we do not follow.
  std::filesystem::path path_;  // for messages
  std::string name_;
  Descriptor folder_, file_;
  std::string temporary_;  // empty while the file has no name (O_TMPFILE): a killed process leaves nothing behind
  bool synced_ = false;
  std::uint64_t position_ = 0;
  std::string buffer_;
};

}  // namespace onnxpress

// AtomicFile: writes a file whole or not at all. Content goes to a nameless (or temporary) file in the same folder, is
// synced, and takes the final name in one step; until then, and after any failure, the old file is untouched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace onnxpress {

class MappedFile;

class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(): nothing remains

  void write(std::string_view bytes);
  // Moves a range file to file inside the kernel where it can.
  void copy_range(const MappedFile& from, std::uint64_t offset, std::uint64_t length);
  // Leaves a hole of zeros up to absolute position `offset` (alignment, huge zero tensors): costs no disk.
  void skip_to(std::uint64_t offset);
  std::uint64_t position() const { return position_ + buffer_.size(); }

  // Flushes, syncs and gives the file its name, replacing what was there.
  void commit();

 private:
  void flush();
  void write_all(const char* data, std::size_t size);
  [[noreturn]] void fail(std::string_view doing, int reason) const;
  std::filesystem::path temporary_path() const;
  void name_nameless_file();

  std::filesystem::path path_;
  std::filesystem::path
      temporary_;  // empty while the file has no name (O_TMPFILE): a killed process leaves nothing behind
  int descriptor_ = -1;
  std::uint64_t position_ = 0;
  std::string buffer_;
};

}  // namespace onnxpress

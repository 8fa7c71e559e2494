// Buffers small writes; large ones go straight to the file.
#include "onnxpress/base/atomic_file.h"

#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/platform/new_file.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : file_(platform::create_file(path)) {}

AtomicFile::AtomicFile(const fs::path& folder, std::string_view location)
    : file_(platform::create_contained_file(folder, location)) {}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= kBufferSize) {
    buffer_.append(bytes);
    return;
  }
  flush();
  if (bytes.size() >= kBufferSize) {
    write_all(bytes);
  } else {
    buffer_.append(bytes);
  }
}

void AtomicFile::write_all(std::string_view bytes) {
  file_->write_at(position_, bytes);
  position_ += bytes.size();
}

void AtomicFile::flush() {
  write_all(buffer_);
  buffer_.clear();
}

void AtomicFile::copy_range(const MappedFile& from, std::uint64_t offset, std::uint64_t length) {
  flush();
  while (length > 0) {
    const std::uint64_t done = file_->copy_at(position_, from, offset, length);
    if (done == 0) {  // another file system, an old kernel, or a truncated file: write from the mapping instead
      write_all(from.bytes().view().substr(offset, length));
      return;
    }
    offset += done;
    length -= done;
    position_ += done;
  }
}

void AtomicFile::skip_to(std::uint64_t offset) {
  if (offset <= position()) return;
  constexpr std::uint64_t kWorthAHole = 4096;
  if (offset - position() < kWorthAHole) {
    write(std::string(offset - position(), '\0'));
    return;
  }
  flush();
  position_ = offset;
}

void AtomicFile::sync() {
  flush();
  file_->sync(position_);
  synced_ = true;
}

void AtomicFile::commit() {
  if (!synced_) sync();
  file_->commit();
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace onnxpress

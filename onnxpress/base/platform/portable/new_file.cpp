// Writes a hidden temporary file next to the final one, and renames it when it is complete.
#include "onnxpress/base/platform/new_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "onnxpress/base/contained_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/refuse_location.h"

namespace onnxpress::platform {

namespace fs = std::filesystem;

namespace {

class PortableNewFile : public NewFile {
 public:
  explicit PortableNewFile(const fs::path& path) : path_(path) {
    std::error_code failed;
    const auto status = fs::symlink_status(path, failed);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_symlink(status)) fail("write: is not a file");
    std::random_device random;
    const std::string name = fmt::format(".{}.{:08x}{:08x}.tmp", path.filename().string(), random(), random());
    temporary_ = path.parent_path() / name;
    stream_.reset(std::fopen(temporary_.string().c_str(), "wb"));
    if (!stream_) fail("create");
    std::setvbuf(stream_.get(), nullptr, _IONBF, 0);  // AtomicFile buffers small writes
  }
  PortableNewFile(const PortableNewFile&) = delete;
  PortableNewFile& operator=(const PortableNewFile&) = delete;
  ~PortableNewFile() override {
    std::error_code ignored;
    stream_.reset();
    if (!temporary_.empty()) fs::remove(temporary_, ignored);
  }

  void write_at(std::uint64_t position, std::string_view bytes) override {
    move_to(position);
    if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) fail("write");
    position_ += bytes.size();
  }

  std::uint64_t copy_at(std::uint64_t, const MappedFile&, std::uint64_t, std::uint64_t) override { return 0; }

  void sync(std::uint64_t size) override {
    std::error_code failed;
    if (std::fclose(stream_.release()) != 0) fail("write");
    fs::resize_file(temporary_, size, failed);
    if (failed) fail("write");
  }

  void commit() override {
    std::error_code failed;
    fs::rename(temporary_, path_, failed);
    if (failed) fail("rename into place");
    temporary_.clear();
  }

 private:
  // Seeks in steps, because an offset may be limited to 32 bits.
  void move_to(std::uint64_t position) {
    if (position < position_) {
      std::rewind(stream_.get());
      position_ = 0;
    }
    while (position_ < position) {
      const std::uint64_t step = std::min(position - position_, std::uint64_t{1} << 30);
      if (std::fseek(stream_.get(), static_cast<long>(step), SEEK_CUR) != 0) fail("write");
      position_ += step;
    }
  }

  [[noreturn]] void fail(std::string_view doing) const {
    Error error("", fmt::format("cannot {}", doing));
    error.set_file(path_.string());
    throw error;
  }

  fs::path path_, temporary_;
  // Not a C++ stream: those write a few kilobytes at a time, and in a browser every write is a call into JavaScript.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_{nullptr, &std::fclose};
  std::uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<NewFile> create_file(const fs::path& path) { return std::make_unique<PortableNewFile>(path); }

std::unique_ptr<NewFile> create_contained_file(const fs::path& folder, std::string_view location) {
  require_contained_location(location);
  fs::path at = folder;
  for (const fs::path& part : fs::path(location).parent_path()) {
    at /= part;
    std::error_code failed;
    if (fs::is_symlink(fs::symlink_status(at, failed)))
      refuse_location(location, fmt::format("{} is a link; nothing is written through it", quote_name(at.string())));
    fs::create_directory(at, failed);
  }
  return std::make_unique<PortableNewFile>(folder / fs::path(location));
}

}  // namespace onnxpress::platform

// A hidden temporary file beside the final one, renamed when it is whole.
#include "onnxpress/base/platform/new_file.h"

#include <fmt/format.h>

#include <fstream>
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
    stream_.open(temporary_, std::ios::binary | std::ios::out | std::ios::trunc);
    if (!stream_) fail("create");
  }
  PortableNewFile(const PortableNewFile&) = delete;
  PortableNewFile& operator=(const PortableNewFile&) = delete;
  ~PortableNewFile() override {
    std::error_code ignored;
    stream_.close();
    if (!temporary_.empty()) fs::remove(temporary_, ignored);
  }

  void write_at(std::uint64_t position, std::string_view bytes) override {
    stream_.seekp(static_cast<std::streamoff>(position));
    stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream_) fail("write");
  }

  std::uint64_t copy_at(std::uint64_t, const MappedFile&, std::uint64_t, std::uint64_t) override { return 0; }

  void sync(std::uint64_t size) override {
    stream_.close();
    std::error_code failed;
    if (stream_) fs::resize_file(temporary_, size, failed);
    if (!stream_ || failed) fail("write");
  }

  void commit() override {
    std::error_code failed;
    fs::rename(temporary_, path_, failed);
    if (failed) fail("rename into place");
    temporary_.clear();
  }

 private:
  [[noreturn]] void fail(std::string_view doing) const {
    Error error("", fmt::format("cannot {}", doing));
    error.set_file(path_.string());
    throw error;
  }

  fs::path path_, temporary_;
  std::ofstream stream_;
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

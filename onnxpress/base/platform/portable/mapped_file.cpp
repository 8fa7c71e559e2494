// Files are read whole: there is no mapping, so there are no pages to give advice about either.
#include "onnxpress/base/mapped_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "onnxpress/base/error.h"
#include "onnxpress/base/read_ahead.h"

namespace onnxpress {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string message, std::string hint = {}) {
  Error error("", std::move(message), std::move(hint));
  error.set_file(path.string());
  throw error;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path, FileAccess) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) fail(path, "cannot open: no such file", "check the path");
  if (std::filesystem::is_directory(status)) fail(path, "is a folder, not a file", "name a file in it");
  if (!std::filesystem::is_regular_file(status)) fail(path, "is not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (failed) fail(path, fmt::format("cannot open: {}", failed.message()));
  std::ifstream stream(path, std::ios::binary);
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  const std::shared_ptr<char[]> memory(new char[size]);
  file->memory_ = memory;
  file->view_ = {memory.get(), size};
  stream.read(memory.get(), static_cast<std::streamsize>(size));
  if (!stream || static_cast<std::uint64_t>(stream.gcount()) != size) fail(path, "cannot be read to its end");
  return file;
}

MappedFile::~MappedFile() = default;

void MappedFile::release_pages(std::string_view) const {}

Bytes MappedFile::read_stream(int, std::string_view name) {
  std::string content;
  constexpr std::size_t kStep = std::size_t{1} << 20;
  for (;;) {
    const std::size_t before = content.size();
    content.resize(before + kStep);
    const std::size_t got = std::fread(content.data() + before, 1, kStep, stdin);
    content.resize(before + got);
    if (got == 0 && std::ferror(stdin) != 0) fail(name, "cannot be read");
    if (got == 0) return Bytes::owned(std::move(content));
  }
}

void expect_scattered_reads(const MappedFile&) {}
void expect_ordinary_reads(const MappedFile&) {}

}  // namespace onnxpress

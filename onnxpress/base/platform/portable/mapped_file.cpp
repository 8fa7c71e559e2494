// Reads whole files into memory: this platform has no mapping, and so no pages to give advice about.
#include "onnxpress/base/mapped_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>

#include "onnxpress/base/platform/missing_file.h"
#include "onnxpress/base/read_ahead.h"

namespace onnxpress {

namespace {

template <typename Kind = Error>
[[noreturn]] void fail(const std::filesystem::path& path, std::string message, std::string hint = {}) {
  Kind error("", std::move(message), std::move(hint));
  error.set_file(path.string());
  throw error;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path, FileAccess) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) fail<MissingFile>(path, "cannot open: no such file", "check the path");
  if (std::filesystem::is_directory(status)) fail(path, "is a folder, not a file", "name a file in it");
  if (!std::filesystem::is_regular_file(status)) fail(path, "is not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (failed) fail(path, fmt::format("cannot open: {}", failed.message()));
  if (size > std::numeric_limits<std::size_t>::max() / 2) fail(path, "is too large for the memory of this build");
  // Not a C++ stream: those read a few kilobytes at a time, and in a browser every read is a call into JavaScript.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!stream) fail(path, "cannot open");
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  const auto bytes = static_cast<std::size_t>(size);
  const std::shared_ptr<char[]> memory(new char[bytes]);
  file->memory_ = memory;
  file->view_ = {memory.get(), bytes};
  if (std::fread(memory.get(), 1, bytes, stream.get()) != bytes) fail(path, "cannot be read to its end");
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

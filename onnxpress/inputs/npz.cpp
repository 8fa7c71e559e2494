// Unpacks with libzip, and reads each array with read_npy().
#include "onnxpress/inputs/npz.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/npy.h"

#ifdef ONNXPRESS_HAVE_ZIP

#include <zip.h>

#include <memory>

namespace onnxpress::inputs {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // of one array
constexpr zip_int64_t kMostArrays = 10000;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& where, std::string message) {
  Error error(where, std::move(message), "was it written by np.savez?");
  error.set_file(path.string());
  throw error;
}

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using File = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

Archive open(const std::filesystem::path& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code), &zip_discard);
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail(path, "", fmt::format("cannot be read as a zip file: {}", text));
}

// The buffer grows with the data that is really there, because the size that a file claims cannot be trusted.
std::string unpacked(zip_t* archive, zip_uint64_t index, const std::filesystem::path& path, const std::string& name) {
  const File file(zip_fopen_index(archive, index, 0), &zip_fclose);
  if (!file) fail(path, name, fmt::format("cannot be unpacked: {}", zip_strerror(archive)));
  std::string bytes;
  std::string part(std::size_t{1} << 20, '\0');
  for (;;) {
    const zip_int64_t got = zip_fread(file.get(), part.data(), part.size());
    if (got < 0) fail(path, name, fmt::format("is damaged: {}", zip_file_strerror(file.get())));
    if (got == 0) return bytes;
    bytes.append(part, 0, static_cast<std::size_t>(got));
    if (bytes.size() > kMostBytes) fail(path, name, fmt::format("is larger than {} bytes", kMostBytes));
  }
}

}  // namespace

std::vector<std::pair<std::string, ops::Array>> read_npz(const std::filesystem::path& path) {
  const Archive archive = open(path);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kMostArrays) fail(path, "", fmt::format("it has {} files, but the limit is {}", count, kMostArrays));
  std::vector<std::pair<std::string, ops::Array>> arrays;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* entry = zip_get_name(archive.get(), index, 0);
    std::string name = entry ? entry : "";
    if (!name.ends_with(".npy")) continue;
    try {
      arrays.emplace_back(name.substr(0, name.size() - 4), decode_npy(unpacked(archive.get(), index, path, name)));
    } catch (Error& error) {
      error.set_file(path.string() + ":" + name);
      throw;
    }
  }
  return arrays;
}

}  // namespace onnxpress::inputs

#else

namespace onnxpress::inputs {

std::vector<std::pair<std::string, ops::Array>> read_npz(const std::filesystem::path& path) {
  Error error("", "this build cannot read .npz files", "build with libzip (scripts/setup), or use .npy files");
  error.set_file(path.string());
  throw error;
}

}  // namespace onnxpress::inputs

#endif

// .npz files, as np.savez writes them: a zip file of .npy files, not compressed.
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/utf8.h"
#include "onnxpress/inputs/npy.h"
#include "onnxpress/tasks/edit/tensor_files.h"

#ifdef ONNXPRESS_HAVE_ZIP

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>

namespace onnxpress {

namespace {

// One entry: its header, and the data, which may be a mapped file.
struct Entry {
  std::string header;
  Bytes content;
  zip_uint64_t position = 0;

  zip_uint64_t size() const { return header.size() + content.size(); }
  std::size_t read(char* to, std::size_t length) {
    std::size_t done = 0;
    for (const std::string_view part : {std::string_view(header), content.view()}) {
      const zip_uint64_t begin = part.data() == header.data() ? 0 : header.size();
      if (position < begin || position >= begin + part.size()) continue;
      const std::size_t count = std::min<std::size_t>(length - done, begin + part.size() - position);
      std::memcpy(to + done, part.data() + (position - begin), count);
      position += count;
      done += count;
    }
    return done;
  }
};

zip_int64_t serve(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& entry = *static_cast<Entry*>(state);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      entry.position = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return static_cast<zip_int64_t>(entry.read(static_cast<char*>(data), length));
    case ZIP_SOURCE_STAT: {
      auto& stat = *static_cast<zip_stat_t*>(data);
      zip_stat_init(&stat);
      stat.size = entry.size();
      stat.mtime = 315532800;  // 1980: the same tensors make the same file
      stat.valid = ZIP_STAT_SIZE | ZIP_STAT_MTIME;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(nullptr, data, length);
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_READABLE;
    default:
      return 0;
  }
}

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view why) {
  Error error("", fmt::format("cannot be written: {}", why));
  error.set_file(path.string());
  throw error;
}

}  // namespace

TensorFiles write_npz(const std::vector<NamedContent>& tensors, const std::filesystem::path& output) {
  TensorFiles made;
  std::list<Entry> entries;  // a list, because libzip reads the entries in place when the file is closed
  int code = 0;
  std::unique_ptr<zip_t, decltype(&zip_discard)> archive(zip_open(output.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code),
                                                         &zip_discard);
  if (!archive) fail(output, "cannot create a zip file there");
  for (const NamedContent& each : tensors) {
    auto header = inputs::npy_header(each.tensor->type, each.tensor->dims);
    if (!header || !is_valid_utf8(each.name)) {
      made.left_out.push_back(
          fmt::format("{}: {}", quote_name(each.name),
                      header ? "the name is not UTF-8" : fmt::format("NumPy has no {}", name_of(each.tensor->type))));
      continue;
    }
    entries.push_back({std::move(*header), each.tensor->bytes()});
    zip_source_t* source = zip_source_function(archive.get(), serve, &entries.back());
    const zip_int64_t index =
        source ? zip_file_add(archive.get(), (each.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE)
               : -1;
    if (index < 0) {
      if (source) zip_source_free(source);
      fail(output, zip_strerror(archive.get()));
    }
    zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }
  if (entries.empty()) return made;  // libzip writes no empty files
  if (zip_close(archive.get()) != 0) fail(output, zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closed
  std::error_code unknown;
  made.files.push_back({output.string(), std::filesystem::file_size(output, unknown)});
  return made;
}

}  // namespace onnxpress

#else

namespace onnxpress {

TensorFiles write_npz(const std::vector<NamedContent>&, const std::filesystem::path& output) {
  Error error("", "this build cannot write .npz files", "build with libzip (scripts/setup), or choose .safetensors");
  error.set_file(output.string());
  throw error;
}

}  // namespace onnxpress

#endif

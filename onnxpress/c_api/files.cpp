// Models from files and memory, and back.
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "onnxpress/base/bytes.h"
#include "onnxpress/c_api/call.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress::c_api {

namespace {

// Bytes for a caller who frees them with free().
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(bytes_); }

  void append(std::string_view piece) {
    if (piece.size() > room_ - count_) grow(count_ + piece.size());
    if (!piece.empty()) std::memcpy(static_cast<char*>(bytes_) + count_, piece.data(), piece.size());
    count_ += piece.size();
  }
  std::size_t count() const { return count_; }
  void* release() { return std::exchange(bytes_, nullptr); }

 private:
  void grow(std::size_t least) {
    const std::size_t room = std::max(least, 2 * room_);
    void* bytes = std::realloc(bytes_, room);
    if (!bytes) throw std::bad_alloc();
    bytes_ = bytes;
    room_ = room;
  }

  void* bytes_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

// The path "-" would be standard input or output to the tasks, which belong to the program.
std::string path_of(const char* path) {
  const std::string name = &require(path, "path");
  return name == "-" ? "./-" : name;
}

LoadOptions options_of(const onnxpress_load_options& given) {
  LoadOptions options;
  options.no_mmap = flag_in("no_mmap", given.no_mmap);
  options.allow_outside_paths = flag_in("allow_outside_paths", given.allow_outside_paths);
  return options;
}

Placement placement_in(const char* given) {
  if (!given || std::string_view(given) == "as-loaded") return Placement::kAsLoaded;
  if (std::string_view(given) == "keep") return Placement::kKeep;
  if (std::string_view(given) == "external") return Placement::kExternal;
  if (std::string_view(given) == "inside") return Placement::kSingleFile;
  refuse_word("weights", given, {"as-loaded", "keep", "external", "inside"});
}

SaveRequest request_of(const onnxpress_save_options& given, const Call& call) {
  SaveRequest request;
  request.weights = placement_in(given.weights);
  request.form.format = optional_word_in<ModelForm>("form", given.form);
  request.form.external_name = text_in(given.external_name);
  request.form.external_threshold =
      count_in("external_threshold", given.external_threshold, request.form.external_threshold);
  request.form.encode_anew = flag_in("encode_anew", given.encode_anew);
  request.progress = call.progress();
  return request;
}

void load(onnxpress_model** model, const std::string& path, const LoadOptions& options) {
  *model = new onnxpress_model{open_model(path, options).model};
}

// By way of what the tasks take for standard input.
void load_bytes(onnxpress_model** model, Bytes content, LoadOptions options) {
  options.standard_input = std::make_shared<StandardInput>(std::move(content));
  try {
    load(model, "-", options);
  } catch (const Error& error) {
    if (error.file() != "standard input") throw;
    throw Error(error.where(), error.message(), error.hint());
  }
}

}  // namespace

}  // namespace onnxpress::c_api

extern "C" {

using namespace onnxpress::c_api;

int onnxpress_load(const char* path, const onnxpress_load_options* given, onnxpress_model** model,
                   onnxpress_error** error) {
  return guarded(error, [&] {
    require(model, "model") = nullptr;
    const onnxpress_load_options options = options_in(given);
    const Call call(options);
    load(model, path_of(path), options_of(options));
  });
}

int onnxpress_load_bytes(const void* bytes, size_t count, const onnxpress_load_options* given, onnxpress_model** model,
                         onnxpress_error** error) {
  return guarded(error, [&] {
    require(model, "model") = nullptr;
    const onnxpress_load_options options = options_in(given);
    const Call call(options);
    if (!bytes) throw BadCall("argument 'bytes' is NULL");
    const std::string_view view(static_cast<const char*>(bytes), count);
    const bool borrows = flag_in("borrow_bytes", options.borrow_bytes);
    load_bytes(model, borrows ? onnxpress::Bytes::borrowed(view) : onnxpress::Bytes::owned(std::string(view)),
               options_of(options));
  });
}

int onnxpress_save(onnxpress_model* model, const char* path, const onnxpress_save_options* given,
                   onnxpress_error** error) {
  return guarded(error, [&] {
    const onnxpress_save_options options = options_in(given);
    const Call call(options);
    onnxpress::SaveRequest request = request_of(options, call);
    request.output = path_of(path);
    onnxpress::save_checked(require(model, "model").model, request);
  });
}

int onnxpress_save_bytes(onnxpress_model* model, const onnxpress_save_options* given, void** bytes, size_t* count,
                         onnxpress_error** error) {
  return guarded(error, [&] {
    require(bytes, "bytes") = nullptr;
    require(count, "count") = 0;
    const onnxpress_save_options options = options_in(given);
    const Call call(options);
    onnxpress::SaveRequest request = request_of(options, call);
    if (options.weights || options.external_name)
      throw BadCall("options 'weights' and 'external_name' are for files: in memory, all weights are inside");
    Buffer content;
    request.output = "-";
    request.weights = onnxpress::Placement::kSingleFile;
    if (!request.form.format) request.form.format = onnxpress::ModelForm::kOnnx;
    request.standard_output = [&content](std::string_view piece) { content.append(piece); };
    onnxpress::save_checked(require(model, "model").model, request);
    *count = content.count();
    *bytes = content.release();
  });
}

void onnxpress_bytes_free(void* bytes) { std::free(bytes); }

int onnxpress_clone(const onnxpress_model* model, onnxpress_model** copy, onnxpress_error** error) {
  return guarded(error, [&] {
    require(copy, "copy") = nullptr;
    *copy = new onnxpress_model{require(model, "model").model.clone()};
  });
}

void onnxpress_model_free(onnxpress_model* model) { delete model; }

}  // extern "C"

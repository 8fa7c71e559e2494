// Sizes and content of tensors.
#include "onnxpress/ir/tensor.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "onnxpress/base/error.h"

namespace onnxpress {

const MappedFile& ExternalFile::open() const {
  const std::lock_guard lock(mutex_);
  if (file_) return *file_;
  if (!content_) {
    file_ = open_contained(folder_, location_, policy_, access_);
    return *file_;
  }
  const std::optional<Bytes> content = content_(location_);
  if (!content) {
    throw Error(fmt::format("external data {}", quote_name(location_)), "was not provided with the model",
                "provide the content of each external file");
  }
  file_ = MappedFile::in_memory(*content, location_);
  return *file_;
}

std::uint64_t ExternalFile::size_if_present() const {
  if (content_) {
    const std::optional<Bytes> content = content_(location_);
    return content ? content->size() : 0;
  }
  std::error_code missing;
  const std::uint64_t size = std::filesystem::file_size(path(), missing);
  return missing ? 0 : size;
}

std::optional<std::uint64_t> product_of(std::span<const std::int64_t> dims) {
  std::uint64_t product = 1;
  bool overflow = false, zero = false;
  for (const std::int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) zero = true;
    if (!zero && __builtin_mul_overflow(product, static_cast<std::uint64_t>(dim), &product)) overflow = true;
  }
  if (zero) return 0;
  if (overflow) return std::nullopt;
  return product;
}

std::string to_string(std::span<const std::int64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }

std::string to_string(ElementType element, std::span<const std::int64_t> dims) {
  return to_string(element) + (dims.empty() ? "" : to_string(dims));
}

std::optional<std::uint64_t> Tensor::element_count() const { return product_of(dims); }

std::optional<std::uint64_t> Tensor::expected_bytes() const {
  const auto count = element_count();
  return count ? raw_size(type, *count) : std::nullopt;
}

std::uint64_t Tensor::stored_bytes() const {
  if (const auto* raw = std::get_if<Bytes>(&content)) return raw->size();
  if (const auto* range = std::get_if<FileRange>(&content))
    return range->length ? *range->length : expected_bytes().value_or(0);
  if (const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&content)) return (*stream)->size();
  std::uint64_t total = 0;
  for (const std::string_view text : strings()) total += text.size();
  return total;
}

std::span<const std::string_view> Tensor::strings() const {
  const auto* texts = std::get_if<std::span<const std::string_view>>(&content);
  return texts ? *texts : std::span<const std::string_view>();
}

namespace {

Bytes external_bytes(const FileRange& range, std::uint64_t length) {
  const MappedFile& file = range.file->open();
  if (range.offset > file.size() || length > file.size() - range.offset) {
    throw Error(fmt::format("external data {}", quote_name(range.file->location())),
                fmt::format("bytes {:#x} to {:#x} are needed, but the file has {:#x} bytes", range.offset,
                            range.offset + length, file.size()),
                "the file is truncated or belongs to another model");
  }
  return file.bytes().slice(range.offset, length);
}

Bytes collected(const ByteStream& stream) {
  std::string all;
  all.reserve(stream.size());
  stream.produce([&all](std::string_view piece) {
    if (piece.data()) {
      all.append(piece);
    } else {
      all.append(piece.size(), '\0');
    }
  });
  return Bytes::owned(std::move(all));
}

}  // namespace

Bytes Tensor::bytes() const {
  const auto place = [this] { return fmt::format("tensor {}", quote_name(name)); };
  const auto need = expected_bytes();
  if (!need) {
    throw Error(place(), fmt::format("type {} with shape {} has no raw form", name_of(type), to_string(dims)));
  }
  Bytes all;
  if (const auto* raw = std::get_if<Bytes>(&content)) {
    all = *raw;
  } else if (const auto* range = std::get_if<FileRange>(&content)) {
    all = external_bytes(*range, range->length.value_or(*need));
  } else if (const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&content)) {
    // Check the size before collecting: a stream of the wrong size, or a line of text that stands for 1 TiB, must not
    // make us allocate that much.
    if (!(*stream)->is_known()) {
      throw Error(place(),
                  fmt::format("its {} bytes are not known: the text that it was read from leaves them out", *need),
                  "convert the model to text without option `elide`, or use the .onnx file");
    }
    all = (*stream)->size() == *need ? collected(**stream) : Bytes();
  }
  if (all.size() != *need) {
    throw Error(place(),
                fmt::format("has {} bytes of data, but {} needs {}", stored_bytes(), to_string(type, dims), *need));
  }
  return all;
}

}  // namespace onnxpress

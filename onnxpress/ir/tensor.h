/// \file
/// Tensor: element type, shape, and content that is read only when needed: bytes in the model file, a range
/// of another file, or a stream that is generated chunk by chunk while writing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "onnxpress/base/bytes.h"
#include "onnxpress/base/contained_file.h"
#include "onnxpress/ir/element_type.h"

namespace onnxpress {

/// A key and its value, as files hold them.
struct MetadataEntry {
  std::string_view key, value;
};

/// Raw little-endian tensor data that does not exist as bytes yet: decoded from a typed field, or computed.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// The number of bytes that produce() will give. Throws Error if the source is damaged.
  virtual std::uint64_t size() const = 0;
  /// Calls `take` with consecutive pieces. A piece with null data() stands for that many zeros.
  virtual void produce(const std::function<void(std::string_view piece)>& take) const = 0;
  /// False when the real content is not available (ONNX text may leave it out); produce() then gives zeros.
  virtual bool is_known() const { return true; }
  /// The XXH3 hash of content that is not known, if at least its hash is.
  virtual std::optional<std::uint64_t> hash() const { return std::nullopt; }
};

/// Returns the content of an external file that is in memory, by the location in the model. Nullopt: there is no
/// such file. It is called when a tensor in the file, or its size, is needed.
using ExternalContent = std::function<std::optional<Bytes>(std::string_view location)>;

/// One external-data file of a model, opened on first use. Shared by all tensors in it; thread-safe.
class ExternalFile {
 public:
  /// If `content` is given, `folder` is not searched.
  ExternalFile(std::filesystem::path folder, std::string location, OutsidePaths policy, FileAccess access,
               ExternalContent content = {})
      : folder_(std::move(folder)),
        location_(std::move(location)),
        policy_(policy),
        access_(access),
        content_(std::move(content)) {}

  const std::string& location() const { return location_; }           ///< as the model file states it
  std::filesystem::path path() const { return folder_ / location_; }  ///< for messages; opening goes through the policy
  std::uint64_t size_if_present() const;  ///< in bytes; 0 when the file is missing. Does not open the file
  bool is_in_memory() const { return static_cast<bool>(content_); }
  const MappedFile& open() const;  ///< throws Error when missing or not allowed

 private:
  std::filesystem::path folder_;
  std::string location_;
  OutsidePaths policy_;
  FileAccess access_;
  ExternalContent content_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const MappedFile> file_;
};

/// A part of an external file.
struct FileRange {
  std::shared_ptr<const ExternalFile> file;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  ///< absent: as many bytes as the tensor needs
};

/// How the file stores the content. Reading does not depend on it; size reports and byte-exact rewriting do.
enum class Storage : std::uint8_t {
  kNone,      ///< no data at all (legal for tensors without elements)
  kRaw,       ///< raw_data
  kTyped,     ///< float_data, int32_data, int64_data, double_data, uint64_data
  kStrings,   ///< string_data
  kExternal,  ///< another file
  kMade,      ///< made by us; written as raw_data (or external)
};

/// A value type: copies share their content and their arena-held dims. `name`, `dims` and texts point into the model.
struct Tensor {
  using Content = std::variant<std::monostate, Bytes, FileRange, std::shared_ptr<const ByteStream>,
                               std::span<const std::string_view>>;

  std::string_view name, doc;
  ElementType type = ElementType::kUndefined;
  Storage storage = Storage::kNone;
  bool conflicting =
      false;  ///< more than one data field is set: malformed, the content is that of the first in ONNX Runtime's order
  bool segmented = false;  ///< has a `segment`: only part of the tensor, which nothing supports
  std::span<const std::int64_t> dims;
  Content content;
  std::span<const MetadataEntry> metadata;
  std::span<const MetadataEntry> external_entries;  ///< location, offset, length, checksum, and any other key, as read
  std::string_view origin;                          ///< the encoded form it was read from
  bool changed = false;                             ///< the content is no longer what `origin` says

  /// Product of dims; nullopt when one is negative or the product overflows.
  std::optional<std::uint64_t> element_count() const;
  /// The number of bytes that type and dims require; nullopt for strings and if element_count() or the type is not
  /// known.
  std::optional<std::uint64_t> expected_bytes() const;
  /// The number of bytes that the content has; avoids reading weights if possible. Throws Error for damaged typed
  /// fields.
  std::uint64_t stored_bytes() const;
  /// The content as raw little-endian bytes: no copy for raw, external and packed float data. Throws Error if the
  /// size does not match type and dims, the file is missing, or the content is not known. Strings have no such form
  /// (throws).
  Bytes bytes() const;
  std::span<const std::string_view> strings() const;  ///< empty unless storage is kStrings
};

/// values[k] is at linear index indices[k] (rank 1) or at coordinates indices[k, :] (rank 2) of a tensor with these
/// dims.
struct SparseTensor {
  Tensor* values = nullptr;  ///< its name is the name of the value
  Tensor* indices = nullptr;
  std::span<const std::int64_t> dims;
  std::string_view origin;
  bool changed = false;
};

/// Product of dims; nullopt when one is negative or it overflows 64 bits.
std::optional<std::uint64_t> product_of(std::span<const std::int64_t> dims);
/// "[2,3]"
std::string to_string(std::span<const std::int64_t> dims);
/// "float[2,3]"; "float" for a scalar, as types are written.
std::string to_string(ElementType element, std::span<const std::int64_t> dims);

}  // namespace onnxpress

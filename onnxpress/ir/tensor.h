/// \file
/// Tensor: element type, shape, and content that is looked at only when somebody asks: bytes in the model file, a range
/// of another file, or a stream that is made chunk by chunk while writing.
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
  /// Bytes that produce() will give, known beforehand. Throws Error when the source is damaged.
  virtual std::uint64_t size() const = 0;
  /// Calls `take` with consecutive pieces. A piece with null data() stands for that many zeros.
  virtual void produce(const std::function<void(std::string_view piece)>& take) const = 0;
  /// False when the real content is gone (a text left it out) and produce() gives zeros in its place.
  virtual bool is_known() const { return true; }
  /// XXH3 of content that is not known, where at least that is.
  virtual std::optional<std::uint64_t> hash() const { return std::nullopt; }
};

/// Gives the content of an external file that is in memory, by the location that the model states. Nullopt: there is no
/// such file. It is called when somebody asks for a tensor in the file, or for its size.
using ExternalContent = std::function<std::optional<Bytes>(std::string_view location)>;

/// One external-data file of a model, opened on first use. Shared by all tensors in it; thread-safe.
class ExternalFile {
 public:
  /// Where `content` is given, nothing is looked for in `folder`.
  ExternalFile(std::filesystem::path folder, std::string location, OutsidePaths policy, FileAccess access,
               ExternalContent content = {})
      : folder_(std::move(folder)),
        location_(std::move(location)),
        policy_(policy),
        access_(access),
        content_(std::move(content)) {}

  const std::string& location() const { return location_; }           ///< as the model file says it
  std::filesystem::path path() const { return folder_ / location_; }  ///< for people; opening goes through the policy
  std::uint64_t size_if_present() const;  ///< in bytes; 0 when the file is missing. Opens nothing
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
  /// What the content must have, by type and dims; nullopt for strings and where element_count() or the type is not
  /// known.
  std::optional<std::uint64_t> expected_bytes() const;
  /// What the content has, without looking at weights where that can be avoided. Throws Error for damaged typed fields.
  std::uint64_t stored_bytes() const;
  /// The content as raw little-endian bytes: no copy for raw, external and packed float data. Throws Error when the
  /// size is not what type and dims need, the file is missing, or the content is not known. Strings have no such form
  /// (throws).
  Bytes bytes() const;
  std::span<const std::string_view> strings() const;  ///< empty unless storage is kStrings
};

/// values[k] stands at linear index indices[k] (rank 1) or at coordinates indices[k, :] (rank 2) of a tensor with these
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

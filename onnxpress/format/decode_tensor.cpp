// TensorProto and SparseTensorProto: decodes their headers, and leaves their data where it is.
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"
#include "onnxpress/format/decoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/typed_data.h"

namespace onnxpress::format {

namespace tensor_field = fields::tensor;

namespace {

constexpr std::uint32_t bit(std::uint32_t field) { return std::uint32_t{1} << field; }

constexpr std::uint32_t kTypedFields = bit(tensor_field::kFloatData) | bit(tensor_field::kInt32Data) |
                                       bit(tensor_field::kInt64Data) | bit(tensor_field::kDoubleData) |
                                       bit(tensor_field::kUint64Data);
constexpr std::uint32_t kDataFields =
    kTypedFields | bit(tensor_field::kStringData) | bit(tensor_field::kRawData) | bit(tensor_field::kExternalData);

// Packed float and double data already has the form of raw data. Returns the field that holds it, if there is only one.
std::optional<std::string_view> packed_floats(WireReader in, std::uint32_t field) {
  std::optional<std::string_view> found;
  while (in.next()) {
    if (in.field() != field) {
      in.skip();
      continue;
    }
    if (found || in.type() != WireType::kLength) return std::nullopt;
    found = in.bytes();
  }
  return found;
}

std::uint64_t parse_whole_number(std::string_view key, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > static_cast<std::uint64_t>(INT64_MAX)) {
    throw Error("", fmt::format("external data has {} {}, which is not a whole number of bytes", key, quote_name(text)),
                "the file is damaged or hostile");
  }
  return value;
}

}  // namespace

Tensor* Decoder::decode_tensor(std::string_view message) {
  count();
  auto* tensor = arena_.make<Tensor>();
  tensor->origin = message;
  Scratch dims(int_stack_);
  std::vector<MetadataEntry> metadata, external;  // rarely present, and an empty vector costs nothing
  Scratch strings(view_stack_);
  std::uint32_t seen = 0;
  bool is_external = false;
  WireReader in = cursor(message);
  while (in.next()) {
    if (in.field() < 32) seen |= bit(in.field());
    switch (in.field()) {
      case tensor_field::kDims:
        in.each_varint([&](std::uint64_t dim) {
          dims.push_back(static_cast<std::int64_t>(dim));
          if (dims.size() > options_.limits.rank)
            in.fail(fmt::format("a tensor has more than {} dimensions", options_.limits.rank));
        });
        break;
      case tensor_field::kDataType:
        tensor->type = static_cast<ElementType>(in.int32());
        break;
      case tensor_field::kName:
        tensor->name = in.bytes();
        break;
      case tensor_field::kDocString:
        tensor->doc = in.bytes();
        break;
      case tensor_field::kRawData:
        tensor->content = in_file(in.bytes());
        break;
      case tensor_field::kStringData:
        count();
        strings.push_back(in.bytes());
        break;
      case tensor_field::kExternalData:
        external.push_back(decode_entry(in.bytes()));
        break;
      case tensor_field::kDataLocation:
        is_external = in.int32() == 1;
        break;
      case tensor_field::kMetadataProps:
        metadata.push_back(decode_entry(in.bytes()));
        break;
      case tensor_field::kSegment:
        tensor->segmented = true;
        in.skip();
        break;
      default:
        in.skip();
    }
  }
  tensor->dims = in_arena(dims);
  tensor->metadata = in_arena(metadata);
  tensor->external_entries = in_arena(external);
  if ((seen & bit(tensor_field::kStringData)) != 0) {
    if ((seen & bit(tensor_field::kRawData)) == 0) tensor->content = in_arena(strings);
  }
  // Some writers leave external_data entries in a tensor that is stored inside the model; only data_location counts.
  if (!is_external) seen &= ~bit(tensor_field::kExternalData);
  if (is_external) seen |= bit(tensor_field::kExternalData);
  choose_content(message, seen & kDataFields, *tensor);
  return tensor;
}

// A well-formed tensor has one data field, the right one for its type. Others are read in ONNX Runtime's order
// (external, then raw, then typed) and marked as conflicting.
void Decoder::choose_content(std::string_view message, std::uint32_t seen, Tensor& tensor) {
  tensor.conflicting = (seen & (seen - 1)) != 0;
  const std::uint32_t typed = typed_field_of(tensor.type);
  if ((seen & bit(tensor_field::kExternalData)) != 0) {
    tensor.storage = Storage::kExternal;
    set_external(tensor);
  } else if ((seen & bit(tensor_field::kRawData)) != 0) {
    tensor.storage = Storage::kRaw;
    tensor.conflicting |= tensor.type == ElementType::kString;
  } else if ((seen & bit(tensor_field::kStringData)) != 0) {
    tensor.storage = Storage::kStrings;
    tensor.conflicting |= tensor.type != ElementType::kString;
  } else if (seen != 0) {
    tensor.storage = Storage::kTyped;
    if (typed == 0 || (seen & bit(typed)) == 0) {
      tensor.conflicting = true;  // such as float elements in int32_data, which cannot be read
      return;
    }
    std::optional<std::string_view> packed;
    if (typed == tensor_field::kFloatData || typed == tensor_field::kDoubleData)
      packed = packed_floats(cursor(message), typed);
    if (packed) {
      tensor.content = in_file(*packed);
    } else {
      tensor.content = std::shared_ptr<const ByteStream>(std::make_shared<TypedData>(in_file(message), tensor.type));
    }
  } else if (tensor.type == ElementType::kString) {
    tensor.content = std::span<const std::string_view>();  // a string tensor without elements stores nothing
  } else {
    tensor.content = Bytes();
  }
}

void Decoder::set_external(Tensor& tensor) {
  FileRange range;
  std::string_view location;
  for (const MetadataEntry& entry : tensor.external_entries) {
    if (entry.key == "location") location = entry.value;
    if (entry.key == "offset") range.offset = parse_whole_number("offset", entry.value);
    if (entry.key == "length") range.length = parse_whole_number("length", entry.value);
  }
  range.file = external_file(location);
  tensor.content = std::move(range);
}

std::shared_ptr<const ExternalFile> Decoder::external_file(std::string_view location) {
  auto& file = external_files_[location];
  if (!file) {
    file = std::make_shared<ExternalFile>(folder_, std::string(location), options_.outside_paths, options_.access,
                                          options_.external);
    model_.external_files.push_back(file);
  }
  return file;
}

SparseTensor* Decoder::decode_sparse_tensor(std::string_view message) {
  count();
  auto* sparse = arena_.make<SparseTensor>();
  sparse->origin = message;
  Singular values, indices;
  Scratch dims(int_stack_);
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::sparse_tensor::kValues:
        values.add(in.bytes());
        break;
      case fields::sparse_tensor::kIndices:
        indices.add(in.bytes());
        break;
      case fields::sparse_tensor::kDims:
        in.each_varint([&](std::uint64_t dim) {
          dims.push_back(static_cast<std::int64_t>(dim));
          if (dims.size() > options_.limits.rank)
            in.fail(fmt::format("a tensor has more than {} dimensions", options_.limits.rank));
        });
        break;
      default:
        in.skip();
    }
  }
  sparse->dims = in_arena(dims);
  if (values.present()) sparse->values = decode_tensor(values.view(arena_));
  if (indices.present()) sparse->indices = decode_tensor(indices.view(arena_));
  return sparse;
}

}  // namespace onnxpress::format

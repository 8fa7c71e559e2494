// TensorProto and SparseTensorProto: encodes headers again; data is copied unchanged, or moved into or out of an
// external file.
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/format/encoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/packed_integers.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {

namespace tensor_field = fields::tensor;

namespace {

constexpr std::int64_t kExternalLocation = 1;  // TensorProto.DataLocation.EXTERNAL

// Fields that hold elements (or a segment), in the order of their numbers before and after `name`.
constexpr std::uint32_t kDataBeforeName[] = {tensor_field::kSegment, tensor_field::kFloatData, tensor_field::kInt32Data,
                                             tensor_field::kStringData, tensor_field::kInt64Data};
constexpr std::uint32_t kDataAfterName[] = {tensor_field::kRawData, tensor_field::kDoubleData,
                                            tensor_field::kUint64Data};

void copy_fields(Rope& out, std::string_view origin, std::span<const std::uint32_t> wanted) {
  for (const std::uint32_t number : wanted) {
    WireReader in(origin);
    while (in.next()) {
      in.skip();
      if (in.field() == number) out.append(in.whole_field());
    }
  }
}

std::uint64_t raw_length(const Tensor& tensor) {
  const auto length = tensor.expected_bytes();
  if (!length) {
    throw Error(fmt::format("tensor {}", quote_name(tensor.name)),
                fmt::format("cannot write {} with shape {} as raw data", name_of(tensor.type), to_string(tensor.dims)));
  }
  return *length;
}

}  // namespace

const TensorMoves::Slot* Encoder::slot_of(const Tensor& tensor) const {
  if (!moves_) return nullptr;
  const auto found = moves_->out.find(&tensor);
  return found == moves_->out.end() ? nullptr : &found->second;
}

bool Encoder::moves(const Tensor& tensor) const { return slot_of(tensor) || (moves_ && moves_->in.contains(&tensor)); }

bool Encoder::moves(const SparseTensor& tensor) const {
  return (tensor.values && moves(*tensor.values)) || (tensor.indices && moves(*tensor.indices));
}

std::uint64_t Encoder::size_of(const Tensor& tensor) const {
  Rope out;
  encode(out, tensor);
  return out.size();
}

void Encoder::encode(Rope& out, const Tensor& tensor) const {
  const bool moved = moves(tensor);
  if (!moved && can_copy(tensor.origin, tensor.changed)) {
    out.append(tensor.origin);
    return;
  }
  const bool keeps_data = !moved && tensor.origin.data() && tensor.storage != Storage::kMade;
  // A tensor that was read from text has no encoded form to keep, but its content stays in the external file, too.
  const bool stays_outside = !moved && !keeps_data && tensor.storage == Storage::kExternal;
  for (const std::int64_t dim : tensor.dims) append_int(out.bytes(), tensor_field::kDims, dim);
  if (tensor.type != ElementType::kUndefined)
    append_int(out.bytes(), tensor_field::kDataType, static_cast<std::int32_t>(tensor.type));
  if (keeps_data) copy_fields(out, tensor.origin, kDataBeforeName);
  if (!keeps_data && tensor.type == ElementType::kString) {
    for (const std::string_view text : tensor.strings()) out.append_field(tensor_field::kStringData, text);
  }
  const TensorMoves::Slot* slot = slot_of(tensor);
  const bool varints = !keeps_data && !slot && tensor.storage == Storage::kTyped && has_varint_form(tensor.type);
  const bool after_name = typed_field_of(tensor.type) > tensor_field::kName;
  if (varints && !after_name) append_varints(out, tensor);
  append_text(out, tensor_field::kName, tensor.name);
  if (varints && after_name) append_varints(out, tensor);
  if (keeps_data) copy_fields(out, tensor.origin, kDataAfterName);
  if (!keeps_data && !stays_outside && !slot && !varints && tensor.type != ElementType::kString)
    append_content(out, tensor);
  append_text(out, tensor_field::kDocString, tensor.doc);
  if (slot) {
    const std::string offset = std::to_string(slot->offset), length = std::to_string(slot->length);
    const MetadataEntry entries[] = {{"location", moves_->external_location}, {"offset", offset}, {"length", length}};
    append_entries(out, tensor_field::kExternalData, entries);
    append_int(out.bytes(), tensor_field::kDataLocation, kExternalLocation);
  } else if (stays_outside) {
    append_entries(out, tensor_field::kExternalData, tensor.external_entries);
    append_int(out.bytes(), tensor_field::kDataLocation, kExternalLocation);
  } else if (keeps_data) {
    constexpr std::uint32_t kPlace[] = {tensor_field::kExternalData, tensor_field::kDataLocation};
    copy_fields(out, tensor.origin, kPlace);
  }
  append_entries(out, tensor_field::kMetadataProps, tensor.metadata);
  append_unknown(out, tensor.origin, MessageIndex::kTensor);
}

// Appends the content as the typed field of its type, because choose_storage_form() found that to be the smallest form.
void Encoder::append_varints(Rope& out, const Tensor& tensor) const {
  auto packed = std::make_shared<PackedIntegers>(tensor.bytes(), tensor.type);
  const std::uint64_t size = packed->size();
  append_tag(out.bytes(), typed_field_of(tensor.type), WireType::kLength);
  append_varint(out.bytes(), size);
  out.append(std::move(packed), size);
}

// Appends the content as raw_data. Its size is checked here, before anything is written.
void Encoder::append_content(Rope& out, const Tensor& tensor) const {
  if (std::holds_alternative<std::monostate>(tensor.content)) return;
  const std::uint64_t length = raw_length(tensor);
  append_tag(out.bytes(), tensor_field::kRawData, WireType::kLength);
  append_varint(out.bytes(), length);
  if (const auto* range = std::get_if<FileRange>(&tensor.content)) {
    out.append(*range, length);
  } else if (const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&tensor.content)) {
    if ((*stream)->size() != length) (void)tensor.bytes();  // throws an Error with both sizes
    out.append(*stream, length);
  } else {
    out.append(tensor.bytes().view());
  }
}

void Encoder::encode(Rope& out, const SparseTensor& tensor) const {
  if (!moves(tensor) && can_copy(tensor.origin, tensor.changed)) {
    out.append(tensor.origin);
    return;
  }
  if (tensor.values) append_message(out, fields::sparse_tensor::kValues, *tensor.values);
  if (tensor.indices) append_message(out, fields::sparse_tensor::kIndices, *tensor.indices);
  for (const std::int64_t dim : tensor.dims) append_int(out.bytes(), fields::sparse_tensor::kDims, dim);
  append_unknown(out, tensor.origin, MessageIndex::kSparseTensor);
}

}  // namespace onnxpress::format

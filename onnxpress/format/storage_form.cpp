// Measures both forms and chooses the smaller.
#include "onnxpress/format/storage_form.h"

#include "onnxpress/base/error.h"
#include "onnxpress/format/encoder.h"
#include "onnxpress/format/packed_integers.h"
#include "onnxpress/format/schema.h"
#include "onnxpress/format/wire.h"
#include "onnxpress/ir/release_pages.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::format {

namespace {

bool has_unknown_fields(std::string_view origin) {
  if (!origin.data()) return false;
  const MessageSchema& schema = schema_of(MessageIndex::kTensor);
  WireReader in(origin);
  while (in.next()) {
    if (!schema.find(in.field())) return true;
    in.skip();
  }
  return false;
}

bool may_change(const Tensor& tensor) {
  const bool inside =
      tensor.storage == Storage::kRaw || tensor.storage == Storage::kTyped || tensor.storage == Storage::kMade;
  const bool chosen = tensor.storage == Storage::kTyped && !tensor.origin.data();
  return inside && !chosen && !tensor.conflicting && !tensor.segmented && tensor.expected_bytes().value_or(0) > 0;
}

// The current size of the data field, including its tag and length.
std::uint64_t data_bytes_now(const Tensor& tensor, std::uint64_t raw) {
  const std::uint64_t as_raw = 1 + varint_size(raw) + raw;
  if (tensor.storage != Storage::kTyped) return as_raw;
  std::uint64_t bytes = 0;
  WireReader in(tensor.origin);
  const std::uint32_t field = typed_field_of(tensor.type);
  while (in.next()) {
    in.skip();
    if (in.field() == field) bytes += in.whole_field().size();
  }
  return bytes;
}

// Returns whether the tensor got another form.
bool choose(const Model& model, Tensor& tensor) {
  if (!may_change(tensor) || has_unknown_fields(tensor.origin)) return false;
  const bool varints_possible = has_varint_form(tensor.type);
  // Raw data without another form stays as it is, so do not even read it.
  if (tensor.storage != Storage::kTyped && !varints_possible) return false;
  const Bytes raw = tensor.bytes();
  std::uint64_t best = 1 + varint_size(raw.size()) + raw.size();
  bool packed = false;
  if (varints_possible) {
    std::uint64_t varints = 0;
    for_each_part(model.files, tensor, raw, [&](std::string_view part) { varints += packed_size(tensor.type, part); });
    const std::uint64_t as_varints = 1 + varint_size(varints) + varints;
    packed = as_varints < best;
    if (packed) best = as_varints;
  }
  if (best >= data_bytes_now(tensor, raw.size())) return false;
  const Tensor before = tensor;
  tensor.storage = packed ? Storage::kTyped : Storage::kMade;
  tensor.origin = {};
  tensor.changed = true;
  // Encoding the rest of the message again can cost more than the data saves, because a file may have its dims packed.
  const Encoder encoder(false);
  if (encoder.size_of(tensor) < encoder.size_of(before)) return true;
  tensor = before;
  return false;
}

}  // namespace

std::uint64_t choose_storage_form(Model& model) {
  std::uint64_t changed = 0;
  for_each_tensor(model, [&](Tensor& tensor, const TensorPlace& place) {
    // Other ops, such as custom ones, may expect a certain form in their attributes.
    if (place.node && !place.node->is("Constant") && !place.node->is("ConstantOfShape")) return;
    try {
      if (!choose(model, tensor)) return;
    } catch (const Error&) {
      return;  // damaged: stays as it is
    }
    ++changed;
    if (place.value) place.graph->mark_changed(*place.value);
    if (place.node) place.graph->mark_changed(*place.node, *place.attribute);
  });
  return changed;
}

}  // namespace onnxpress::format

// onnx-data.proto: sequences, optionals and maps around tensors.
#include "onnxpress/format/read_value.h"

#include "onnxpress/base/error.h"
#include "onnxpress/format/data_fields.h"
#include "onnxpress/format/decoder.h"

namespace onnxpress::format {

namespace {

// The kind of content that a field of SequenceProto or OptionalProto holds.
StoredValue::Kind kind_of_field(std::uint32_t field) {
  switch (field) {
    case fields::sequence::kTensorValues:
      return StoredValue::Kind::kTensor;
    case fields::sequence::kSequenceValues:
      return StoredValue::Kind::kSequence;
    case fields::sequence::kMapValues:
      return StoredValue::Kind::kMap;
    case fields::sequence::kOptionalValues:
      return StoredValue::Kind::kOptional;
    default:
      return StoredValue::Kind::kNone;
  }
}

class ValueReader {
 public:
  explicit ValueReader(Model& holder) : holder_(holder), decoder_(holder, options_, {}) {}

  StoredValue read(std::string_view message, StoredValue::Kind kind, int depth) {
    if (depth > kMostDepth) throw Error("", "values are nested too deep", "the file is damaged or hostile");
    StoredValue value{kind, nullptr, {}};
    switch (kind) {
      case StoredValue::Kind::kTensor:
        value.tensor = decoder_.decode_tensor(message);
        break;
      case StoredValue::Kind::kSequence:
      case StoredValue::Kind::kOptional:
        for (WireReader in(message); in.next();) {
          const StoredValue::Kind inner = kind_of_field(in.field());
          if (inner == StoredValue::Kind::kNone) {
            in.skip();
          } else {
            value.items.push_back(read(in.bytes(), inner, depth + 1));
          }
        }
        break;
      case StoredValue::Kind::kMap:
        read_map(message, value, depth);
        break;
      case StoredValue::Kind::kNone:
        break;
    }
    return value;
  }

 private:
  void read_map(std::string_view message, StoredValue& value, int depth) {
    std::vector<std::int64_t> numbers;
    std::vector<std::string_view> texts;
    for (WireReader in(message); in.next();) {
      switch (in.field()) {
        case fields::map::kKeys:
          in.each_varint([&](std::uint64_t key) { numbers.push_back(static_cast<std::int64_t>(key)); });
          break;
        case fields::map::kStringKeys:
          texts.push_back(in.bytes());
          break;
        case fields::map::kValues:
          value.items = read(in.bytes(), StoredValue::Kind::kSequence, depth + 1).items;
          break;
        default:
          in.skip();
      }
    }
    Arena& arena = holder_.arena();
    auto* keys = arena.make<Tensor>();
    const std::int64_t count = static_cast<std::int64_t>(texts.empty() ? numbers.size() : texts.size());
    keys->dims = arena.copy(std::span<const std::int64_t>(&count, 1));
    if (texts.empty()) {
      keys->type = ElementType::kInt64;
      keys->storage = Storage::kMade;
      keys->content = Bytes::owned(
          std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t)));
    } else {
      keys->type = ElementType::kString;
      keys->storage = Storage::kStrings;
      keys->content = std::span<const std::string_view>(arena.copy(std::span<const std::string_view>(texts)));
    }
    value.tensor = keys;
  }

  static constexpr int kMostDepth = 16;
  Model& holder_;
  ReadOptions options_;
  Decoder decoder_;
};

StoredValue::Kind kind_of_type(const Type* type) {
  if (!type) return StoredValue::Kind::kTensor;
  switch (type->kind) {
    case Type::Kind::kSequence:
      return StoredValue::Kind::kSequence;
    case Type::Kind::kOptional:
      return StoredValue::Kind::kOptional;
    case Type::Kind::kMap:
      return StoredValue::Kind::kMap;
    default:
      return StoredValue::Kind::kTensor;
  }
}

}  // namespace

StoredValue read_value(Bytes encoded, const Type* type, Model& holder) {
  holder.origin = std::move(encoded);
  return ValueReader(holder).read(holder.origin.view(), kind_of_type(type), 0);
}

}  // namespace onnxpress::format

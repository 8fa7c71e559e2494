// The messages of the ONNX file format as a table, for code that treats all of them alike (JSON, validation).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace onnxpress::format {

// One per message, named as in onnx_fields.h.
enum class MessageIndex : std::uint8_t {
  kModel,
  kOpset,
  kEntry,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kTensorSegment,
  kSparseTensor,
  kAnnotation,
  kValueInfo,
  kType,
  kTypeTensor,
  kTypeSequence,
  kTypeMap,
  kTypeOptional,
  kTypeSparseTensor,
  kTypeOpaque,
  kShape,
  kDimension,
  kFunction,
  kTraining,
  kDeviceConfiguration,
  kNodeDeviceConfiguration,
  kShardingSpec,
  kShardedDim,
  kSimpleShardedDim,
  kIntIntList,
};
inline constexpr std::size_t kMessageCount = 28;

enum class FieldKind : std::uint8_t { kInt32, kInt64, kUint64, kFloat, kDouble, kString, kBytes, kEnum, kMessage };

enum class FieldLabel : std::uint8_t {
  kOne,     // at most once: the last one wins, messages are merged
  kChoice,  // like kOne, and setting it clears the other choices of its message (no ONNX message has two such groups)
  kMany,
  kPacked,  // kMany, and written as one packed list
};

struct EnumValue {
  std::string_view name;
  std::int32_t number;
};

// A field's name in JSON: "docString" for "doc_string". Computed at compile time.
class JsonName {
 public:
  explicit constexpr JsonName(std::string_view name) {
    bool upper = false;
    for (const char c : name) {
      if (c != '_') text_[size_++] = upper ? static_cast<char>(c - 'a' + 'A') : c;
      upper = c == '_';
    }
  }
  constexpr std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 31> text_ = {};
  std::uint8_t size_ = 0;
};

struct Field {
  std::string_view name;
  JsonName json_name;
  std::uint32_t number;
  FieldKind kind;
  FieldLabel label;
  MessageIndex message = {};               // of kMessage
  std::span<const EnumValue> values = {};  // of kEnum

  constexpr bool is_repeated() const { return label == FieldLabel::kMany || label == FieldLabel::kPacked; }
  // Whether the content is a number, which may be packed in a repeated field.
  constexpr bool is_number() const {
    return kind != FieldKind::kString && kind != FieldKind::kBytes && kind != FieldKind::kMessage;
  }
};

// All field numbers are below this, so that a set of fields is a 32-bit mask.
inline constexpr std::uint32_t kFieldNumberEnd = 32;

struct MessageSchema {
  std::string_view name;                                  // "GraphProto", "TypeProto.Tensor"
  std::span<const Field> fields;                          // in ascending order of their numbers
  std::array<std::uint8_t, kFieldNumberEnd> position_of;  // number -> position in `fields` + 1; 0 for unknown numbers

  const Field* find(std::uint32_t number) const {
    const std::size_t position = number < kFieldNumberEnd ? position_of[number] : 0;
    return position == 0 ? nullptr : &fields[position - 1];
  }
  // Finds a field by its JSON name or its name in the .proto file.
  const Field* find(std::string_view field_name) const;
};

const MessageSchema& schema_of(MessageIndex message);

// How deeply messages may nest. The deepest model that read_model accepts (64 nested graphs, then 64 types) needs about
// 330.
inline constexpr std::size_t kMaxMessageDepth = 500;

// Throws Error when `encoded`, including its inner messages, is not a well-formed message of this kind. Fields with
// unknown numbers are fine. Used for messages that are kept as bytes and never decoded. `file_begin`: see WireReader.
void require_well_formed(std::string_view encoded, MessageIndex message, const char* file_begin = nullptr);

}  // namespace onnxpress::format

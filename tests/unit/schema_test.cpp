// The table of messages: lookup by number and name, and the check for messages that are kept as bytes.
#include "onnxpress/format/schema.h"

#include <gtest/gtest.h>

#include "onnxpress/base/error.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"
#include "tests/support/random_message.h"

namespace onnxpress::format {
namespace {

TEST(Schema, FindsFieldsByNumberAndByBothNames) {
  const MessageSchema& graph = schema_of(MessageIndex::kGraph);
  EXPECT_EQ(graph.name, "GraphProto");
  const Field* field = graph.find(fields::graph::kQuantizationAnnotation);
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->name, "quantization_annotation");
  EXPECT_EQ(field->json_name.view(), "quantizationAnnotation");
  EXPECT_EQ(field->message, MessageIndex::kAnnotation);
  EXPECT_EQ(graph.find("quantization_annotation"), field);
  EXPECT_EQ(graph.find("quantizationAnnotation"), field);
}

TEST(Schema, UnknownFieldsAreNotFound) {
  const MessageSchema& graph = schema_of(MessageIndex::kGraph);
  for (const std::uint32_t number : {0U, 3U, 31U, 32U, 33U, 0x1fffffffU})
    EXPECT_EQ(graph.find(number), nullptr) << number;
  for (const char* name : {"", "Node", "quantizationannotation", "quantization_Annotation"}) {
    EXPECT_EQ(graph.find(name), nullptr) << name;
  }
}

TEST(Schema, EveryFieldIsFoundUnderItsNumberAndNames) {
  for (std::size_t i = 0; i < kMessageCount; ++i) {
    const MessageSchema& schema = schema_of(static_cast<MessageIndex>(i));
    for (const Field& field : schema.fields) {
      EXPECT_EQ(schema.find(field.number), &field);
      EXPECT_EQ(schema.find(field.name), &field);
      EXPECT_EQ(schema.find(field.json_name.view()), &field);
      EXPECT_EQ(field.kind == FieldKind::kEnum, !field.values.empty());
    }
  }
}

std::string sharding(std::string_view content) {
  std::string out;
  append_bytes(out, fields::node_device_configuration::kShardingSpec, content);
  return out;
}

TEST(Schema, WellFormedMessagesPass) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    const auto message = static_cast<MessageIndex>(random() % kMessageCount);
    EXPECT_NO_THROW(require_well_formed(tests::random_message(message, random, 100), message));
  }
}

TEST(Schema, UnknownFieldsAreWellFormed) {
  std::string inner;
  append_int(inner, 99, 5);
  append_bytes(inner, 98, "\xff");
  EXPECT_NO_THROW(require_well_formed(sharding(inner), MessageIndex::kNodeDeviceConfiguration));
}

TEST(Schema, DamagedMessagesDoNotPass) {
  constexpr auto kMessage = MessageIndex::kNodeDeviceConfiguration;
  EXPECT_THROW(require_well_formed("\x0a\x05"
                                   "ab",
                                   kMessage),
               Error);                                                           // a string runs past the end
  EXPECT_THROW(require_well_formed(sharding("\x12\x01\xff"), kMessage), Error);  // a packed number runs past the end
  EXPECT_THROW(require_well_formed(sharding("\x0a\x05"
                                            "ab"),
                                   kMessage),
               Error);                                                         // inside an inner message
  EXPECT_THROW(require_well_formed("\x18", kMessage), Error);                  // no number after the tag
  EXPECT_THROW(require_well_formed("\x1d\x01\x01\x01\x01", kMessage), Error);  // a float instead of an int32
  EXPECT_THROW(require_well_formed("\x08\x01", kMessage), Error);              // a number instead of a string
}

TEST(Schema, DepthIsLimited) {
  const auto nested = [](std::size_t depth) {
    std::string type;
    for (std::size_t i = 1; i < depth; ++i) {
      std::string outer;
      append_bytes(outer, i % 2 != 0 ? fields::type_sequence::kElemType : fields::type::kSequenceType, type);
      type = outer;
    }
    return type;
  };
  static_assert(kMaxMessageDepth % 2 == 0);
  EXPECT_NO_THROW(require_well_formed(nested(kMaxMessageDepth - 1), MessageIndex::kType));
  EXPECT_THROW(require_well_formed(nested(kMaxMessageDepth + 1), MessageIndex::kType), Error);
}

}  // namespace
}  // namespace onnxpress::format

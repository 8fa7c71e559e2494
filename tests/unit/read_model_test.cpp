// Reading: names and scopes, tolerance, typed data, limits, and the locations in error messages.
#include "onnxpress/format/read_model.h"

#include <gtest/gtest.h>

#include <cstring>

#include "onnxpress/base/error.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ir/walk.h"
#include "tests/support/encode.h"

namespace onnxpress::format {
namespace {

using tests::Message;
using tests::node;
using tests::raw_tensor;
using tests::value_info;
namespace graph_field = fields::graph;

Model read(const Message& message, const ReadOptions& options = {}) {
  Model model = read_model(Bytes::owned(message.bytes()), {}, options);
  EXPECT_EQ(verify(model), "");
  EXPECT_EQ(encode_model(model), message.bytes());
  return model;
}

std::string error_of(const Message& message, const ReadOptions& options = {}) {
  try {
    read_model(Bytes::owned(message.bytes()), {}, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string ops_of(const Graph& graph) {
  std::string out;
  for (const Node& each : graph.nodes()) out += std::string(each.op_type()) + " ";
  return out;
}

Message body_attribute(std::string_view name, const Message& body) {
  return Message()
      .text(fields::attribute::kName, name)
      .message(fields::attribute::kG, body)
      .number(fields::attribute::kType, static_cast<int>(AttributeType::kGraph));
}

TEST(ReadModel, LinksProducersAndUses) {
  const Model model = read(tests::model(Message()
                                            .message(graph_field::kNode, node("Relu", {"x"}, {"y"}))
                                            .message(graph_field::kNode, node("Add", {"y", "y"}, {"z"}))
                                            .message(graph_field::kInput, value_info("x"))
                                            .message(graph_field::kOutput, value_info("z"))));
  const Node& relu = *model.graph().nodes().front();
  const Node& add = *model.graph().nodes().back();
  EXPECT_EQ(add.input(0), relu.output());
  EXPECT_EQ(relu.output()->use_count(), 2U);
  EXPECT_TRUE(relu.input(0)->is_input());
  EXPECT_TRUE(add.output()->is_output());
  EXPECT_EQ(model.opset("ai.onnx"), 21);
  EXPECT_TRUE(model.notes.empty());
}

TEST(ReadModel, SortsNodesStablyAndSaysSo) {
  const Model model = read(tests::model(Message()
                                            .message(graph_field::kNode, node("C", {"b"}, {"c"}))
                                            .message(graph_field::kNode, node("D", {"x"}, {"d"}))
                                            .message(graph_field::kNode, node("B", {"a"}, {"b"}))
                                            .message(graph_field::kNode, node("A", {"x"}, {"a"}))
                                            .message(graph_field::kInput, value_info("x"))));
  EXPECT_EQ(ops_of(model.graph()), "D A B C ");
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_EQ(model.notes[0].kind, Note::Kind::kRepair);
  EXPECT_FALSE(model.changed());
}

TEST(ReadModel, SortsByWhatBodiesCapture) {
  const Message body = Message()
                           .message(graph_field::kNode, node("Inner", {"late"}, {"r"}))
                           .message(graph_field::kOutput, value_info("r"));
  const Model model = read(tests::model(
      Message()
          .message(graph_field::kNode,
                   node("If", {"c"}, {"y"}).message(fields::node::kAttribute, body_attribute("then_branch", body)))
          .message(graph_field::kNode, node("Late", {"c"}, {"late"}))
          .message(graph_field::kInput, value_info("c"))));
  EXPECT_EQ(ops_of(model.graph()), "Late If ");
}

TEST(ReadModel, LeavesACycleAsItIs) {
  const Model model = read(tests::model(Message()
                                            .message(graph_field::kNode, node("A", {"b"}, {"a"}))
                                            .message(graph_field::kNode, node("B", {"a"}, {"b"}))));
  EXPECT_EQ(ops_of(model.graph()), "A B ");
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_EQ(model.notes[0].message, "nodes form a cycle");
}

TEST(ReadModel, BodiesSeeOuterNamesAndShadowThem) {
  const Message body = Message()
                           .message(graph_field::kNode, node("F", {"x", "w"}, {"r"}))
                           .message(graph_field::kInitializer, raw_tensor("w", 1, {1}, "abcd"))
                           .message(graph_field::kOutput, value_info("r"));
  const Model model = read(tests::model(
      Message()
          .message(graph_field::kNode,
                   node("If", {"w"}, {"y"}).message(fields::node::kAttribute, body_attribute("then_branch", body)))
          .message(graph_field::kNode, node("G", {"x", "w"}, {"z"}))
          .message(graph_field::kInput, value_info("x"))
          .message(graph_field::kInput, value_info("w"))));
  const Node& branch = *model.graph().nodes().front();
  const Graph& inner = *std::get<Graph*>(branch.attributes()[0]->value);
  EXPECT_EQ(inner.owner(), &branch);
  const Node& f = *inner.nodes().front();
  EXPECT_EQ(f.input(0), model.graph().inputs()[0]->value);
  EXPECT_NE(f.input(1), model.graph().inputs()[1]->value);
  EXPECT_NE(f.input(1)->constant(), nullptr);
  EXPECT_EQ(model.graph().nodes().back()->input(1), model.graph().inputs()[1]->value);
}

TEST(ReadModel, KeepsSecondDefinitionsApart) {
  const Model model = read(tests::model(Message()
                                            .message(graph_field::kNode, node("A", {"x"}, {"y"}))
                                            .message(graph_field::kNode, node("B", {"x"}, {"y"}))
                                            .message(graph_field::kNode, node("C", {"y"}, {"z"}))
                                            .message(graph_field::kInput, value_info("x"))
                                            .message(graph_field::kInput, value_info("x"))));
  const Node& first = *model.graph().nodes().front();
  EXPECT_NE(first.output(), first.next()->output());
  EXPECT_EQ(model.graph().nodes().back()->input(0), first.output());
}

TEST(ReadModel, AnInputThatIsAnInitializerIsNotConstant) {
  const Model model = read(tests::model(Message()
                                            .message(graph_field::kInitializer, raw_tensor("w", 1, {1}, "abcd"))
                                            .message(graph_field::kInput, value_info("w"))));
  const Value& w = *model.graph().initializers()[0];
  EXPECT_TRUE(w.is_input());
  EXPECT_NE(w.initializer(), nullptr);
  EXPECT_EQ(w.constant(), nullptr);
}

TEST(ReadModel, MergesASubmessageThatComesTwice) {
  Message message = tests::model(Message().message(graph_field::kNode, node("A", {"x"}, {"y"})));
  message.message(fields::model::kGraph,
                  Message().message(graph_field::kNode, node("B", {"y"}, {"z"})).text(graph_field::kName, "g"));
  const Model model = read_model(Bytes::owned(message.bytes()));
  EXPECT_EQ(ops_of(model.graph()), "A B ");
  EXPECT_EQ(model.graph().name(), "g");
}

TEST(ReadModel, DeducesAttributeTypesThatOldFilesLeaveOut) {
  const Message attribute = Message().text(fields::attribute::kName, "axis").number(fields::attribute::kI, 3);
  const Model model = read(tests::model(
      Message().message(graph_field::kNode, node("A", {}, {}).message(fields::node::kAttribute, attribute))));
  const Attribute& read_back = *model.graph().nodes().front()->attributes()[0];
  EXPECT_EQ(read_back.type, AttributeType::kInt);
  EXPECT_FALSE(read_back.states_type);
  EXPECT_EQ(std::get<std::int64_t>(read_back.value), 3);
}

// --- Typed data

std::string bytes_of(const Message& tensor) {
  const Model model = read(tests::model(Message().message(graph_field::kInitializer, tensor)));
  const Bytes bytes = model.graph().initializers()[0]->initializer()->bytes();
  std::string out;
  for (const char c : bytes.view()) {
    char text[4];
    std::snprintf(text, sizeof text, "%02x ", static_cast<unsigned char>(c));
    out += text;
  }
  return out;
}

Message typed(std::int32_t type, std::int64_t count) {
  return Message().number(fields::tensor::kDims, count).number(fields::tensor::kDataType, type);
}

TEST(TypedData, TurnsEveryFieldIntoRawBytes) {
  using namespace fields::tensor;  // NOLINT: a table of cases is easier to read without prefixes
  EXPECT_EQ(bytes_of(typed(7, 2).number(kInt64Data, 1).number(kInt64Data, -1)),
            "01 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff ");
  EXPECT_EQ(bytes_of(typed(7, 2).text(kInt64Data, "\x01\x02")), "01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 ");
  EXPECT_EQ(bytes_of(typed(6, 1).number(kInt32Data, -2)), "fe ff ff ff ");
  EXPECT_EQ(bytes_of(typed(5, 1).number(kInt32Data, -2)), "fe ff ");
  EXPECT_EQ(bytes_of(typed(3, 3).text(kInt32Data, "\x01\x02\x03")), "01 02 03 ");
  EXPECT_EQ(bytes_of(typed(10, 1).number(kInt32Data, 0x3c00)), "00 3c ");
  EXPECT_EQ(bytes_of(typed(12, 1).number(kUint64Data, 0xffffffff)), "ff ff ff ff ");
  EXPECT_EQ(bytes_of(typed(1, 1).real(kFloatData, 1.0F)), "00 00 80 3f ");
  EXPECT_EQ(bytes_of(typed(1, 2).text(kFloatData, "abcdefgh")), "61 62 63 64 65 66 67 68 ");
  EXPECT_EQ(bytes_of(typed(1, 2).text(kFloatData, "abcd").text(kFloatData, "efgh")), "61 62 63 64 65 66 67 68 ");
  EXPECT_EQ(bytes_of(typed(14, 1).text(kFloatData, "abcdefgh")), "61 62 63 64 65 66 67 68 ");
  EXPECT_EQ(bytes_of(typed(22, 3).text(kInt32Data, std::string("\x21\x03", 2))), "21 03 ");  // two int4 an entry
  EXPECT_EQ(bytes_of(typed(26, 5).text(kInt32Data, std::string("\x1b\x03", 2))), "1b 03 ");  // four int2 an entry
  EXPECT_EQ(bytes_of(typed(27, 5).text(kInt32Data, "\x3f\x01\x02\x03\x04")),
            "7f 20 0c 04 ");  // one float6 an entry, packed by us
  EXPECT_EQ(bytes_of(typed(1, 0)), "");
}

TEST(TypedData, TellsWhenTheCountIsWrong) {
  const Model model = read(
      tests::model(Message().message(graph_field::kInitializer, typed(7, 3).number(fields::tensor::kInt64Data, 1))));
  EXPECT_THROW((void)model.graph().initializers()[0]->initializer()->bytes(), Error);
  EXPECT_EQ(model.graph().initializers()[0]->initializer()->stored_bytes(), 8U);
}

TEST(ReadModel, MarksTensorsWithTheWrongDataField) {
  const Message tensors[] = {
      typed(1, 1).number(fields::tensor::kInt32Data, 1),
      typed(8, 1).text(fields::tensor::kRawData, "abcd"),
      raw_tensor("w", 1, {1}, "abcd").real(fields::tensor::kFloatData, 1.0F),
  };
  for (const Message& tensor : tensors) {
    const Model model = read(tests::model(Message().message(graph_field::kInitializer, tensor)));
    EXPECT_TRUE(model.graph().initializers()[0]->initializer()->conflicting);
  }
}

// --- Limits and places

TEST(ReadModel, StopsAtEachLimit) {
  ReadOptions options;
  options.limits = {.graph_depth = 2, .type_depth = 2, .rank = 3, .objects = 1000};

  Message deep = Message().text(graph_field::kName, "innermost");
  for (int i = 0; i < 2; ++i) {
    deep = Message().message(graph_field::kNode,
                             node("If", {}, {}).message(fields::node::kAttribute, body_attribute("b", deep)));
  }
  EXPECT_EQ(error_of(tests::model(deep), options), "node '' (If), node '' (If): graphs are nested more than 2 deep");

  Message type;
  for (int i = 0; i < 4; ++i) {
    type = Message().message(fields::type::kSequenceType, Message().message(fields::type_sequence::kElemType, type));
  }
  EXPECT_EQ(
      error_of(tests::model(Message().message(graph_field::kInput, Message().message(fields::value_info::kType, type))),
               options),
      "types are nested more than 2 deep");

  EXPECT_EQ(
      error_of(tests::model(Message().message(graph_field::kInitializer, raw_tensor("w", 1, {1, 1, 1, 1}, "abcd"))),
               options),
      "initializer 0, at 0xc: a tensor has more than 3 dimensions");

  Message many;
  for (int i = 0; i < 1001; ++i) many.message(graph_field::kNode, Message());
  EXPECT_EQ(error_of(tests::model(many), options),
            "the model has more than 1000 nodes, values, tensors and attributes");
}

TEST(ReadModel, TheDefaultsAreGenerousButFinite) {
  EXPECT_EQ(Limits().graph_depth, 64U);
  EXPECT_EQ(Limits().type_depth, 64U);
  EXPECT_EQ(Limits().rank, 1024U);
  EXPECT_EQ(Limits().objects, 20'000'000U);
}

TEST(ReadModel, NamesThePlaceOfDamage) {
  Message bad_attribute = Message().text(fields::attribute::kName, "value").text(fields::attribute::kT, "\x08");
  bad_attribute.number(fields::attribute::kType, static_cast<int>(AttributeType::kTensor));
  const Message graph = Message()
                            .message(graph_field::kNode, node("Constant", {}, {"c"})
                                                             .text(fields::node::kName, "n1")
                                                             .message(fields::node::kAttribute, bad_attribute))
                            .text(graph_field::kName, "main");
  EXPECT_EQ(error_of(tests::model(graph)),
            "graph 'main', node 'n1' (Constant), at 0x22: a number runs past the end of its message");
}

TEST(ReadModel, CutAnywhereItNeverCrashes) {
  const Message message = tests::model(Message()
                                           .message(graph_field::kNode, node("Relu", {"x"}, {"y"}))
                                           .message(graph_field::kInitializer, raw_tensor("w", 1, {2}, "abcdefgh"))
                                           .message(graph_field::kInput, value_info("x"))
                                           .message(graph_field::kOutput, value_info("y")));
  std::size_t refused = 0;
  for (std::size_t size = 0; size < message.bytes().size(); ++size) {
    try {
      Model model = read_model(Bytes::owned(message.bytes().substr(0, size)));
      EXPECT_EQ(verify(model), "");
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, message.bytes().size() / 2);
}

TEST(ReadModel, ReadsNumbersOfExternalDataStrictly) {
  for (const char* offset : {"-1", "1.5", "nan", "", " 1", "9223372036854775808", "0x10", "1e3"}) {
    const Message tensor =
        Message()
            .message(fields::tensor::kExternalData,
                     Message().text(fields::entry::kKey, "location").text(fields::entry::kValue, "w"))
            .message(fields::tensor::kExternalData,
                     Message().text(fields::entry::kKey, "offset").text(fields::entry::kValue, offset))
            .number(fields::tensor::kDataLocation, 1);
    EXPECT_EQ(
        error_of(tests::model(Message().message(graph_field::kInitializer, tensor))),
        "initializer 0: external data has offset '" + std::string(offset) + "', which is not a whole number of bytes");
  }
}

}  // namespace
}  // namespace onnxpress::format

// Every weight is found, wherever it is, and counted once.
#include "onnxpress/analysis/tensor_list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "onnxpress/analysis/duplicates.h"
#include "onnxpress/analysis/summary.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/text/parse_model.h"
#include "tests/support/encode.h"

namespace onnxpress::analysis {
namespace {

constexpr std::string_view kEverywhere = R"(
<ir_version: 8, opset_import: ["" : 17, "my" : 1], producer_name: "tester", producer_version: "2">
main (float[N, 2] x, bool c) => (float[N, 2] y)
<float[2] w = {1, 2}, int64[1, 2] shape = {3, 4}>
{
  k = Constant <value = float[2] {5, 6}> ()
  fs = Constant <value_floats: floats = [7.0, 8.0, 9.0]> ()
  i = Constant <value_int: int = 10> ()
  st = Constant <value_strings: strings = ["ab", "c"]> ()
  z = ConstantOfShape <value = float[1] {0}> (shape)
  [choose] t = If (c) <
    then_branch = g1 () => (float[2] a) { a = Constant <value = float[2] {11, 12}> () },
    else_branch = g2 () => (float[2] b) <float[2] inner = {13, 14}> {
      q = Loop (i, c) <body = g3 () => (float[2] d) { d = Constant <value = float[2] {15, 16}> () }>
      b = Identity (inner)
    }
  >
  y = my.f (x)
}
<domain: "my", opset_import: ["" : 17]>
f (a) => (b) {
  e = Constant <value = float[2] {17, 18}> ()
  b = Add (a, e)
}
)";

// "name type[dims] elements bytes place scope"
std::vector<std::string> lines_of(const TensorList& list) {
  std::vector<std::string> lines;
  for (const TensorEntry& entry : list.entries) {
    lines.push_back(fmt::format("{} {}{} {} {} {} {}", entry.name, name_of(entry.tensor->type),
                                to_string(entry.tensor->dims), entry.elements.value_or(999), entry.bytes,
                                name_of(entry.role), scope_text(list, entry.scope)));
  }
  return lines;
}

TEST(TensorList, FindsWeightsEverywhere) {
  const Model model = text::parse_model(kEverywhere);
  EXPECT_EQ(lines_of(list_tensors(model)), (std::vector<std::string>{
                                               "w float[2] 2 8 initializer ",
                                               "shape int64[1,2] 2 16 initializer ",
                                               "k float[2] 2 8 Constant node ",
                                               "fs float[3] 3 12 Constant node ",
                                               "i int64[] 1 8 Constant node ",
                                               "st string[2] 2 3 Constant node ",
                                               " float[1] 1 4 attribute ",
                                               "a float[2] 2 8 Constant node choose/then_branch",
                                               "inner float[2] 2 8 initializer choose/else_branch",
                                               "d float[2] 2 8 Constant node choose/else_branch/q/body",
                                               "e float[2] 2 8 Constant node function my:f",
                                           }));
}

TEST(TensorList, PlainConstantsHaveTheirContent) {
  const Model model = text::parse_model(kEverywhere);
  const TensorList list = list_tensors(model);
  EXPECT_EQ(list.entries[3].tensor->bytes().load<float>(2), 9.0f);
  EXPECT_EQ(list.entries[4].tensor->bytes().load<std::int64_t>(0), 10);
  EXPECT_EQ(list.entries[5].tensor->strings()[0], "ab");
}

TEST(Summary, CountsNodesAndWeights) {
  const Model model = text::parse_model(kEverywhere);
  const Summary summary = summarize(model);
  EXPECT_EQ(summary.ir_version, 8);
  EXPECT_EQ(summary.producer_name, "tester");
  ASSERT_EQ(summary.opsets.size(), 2u);
  EXPECT_EQ(summary.opsets[0].domain, "ai.onnx");
  EXPECT_EQ(summary.nodes.total, 13u);
  EXPECT_EQ(summary.nodes.main_graph, 7u);
  EXPECT_EQ(summary.nodes.bodies, 4u);
  EXPECT_EQ(summary.nodes.functions, 2u);
  EXPECT_EQ(summary.bodies, 3u);
  EXPECT_EQ(summary.deepest_body, 2u);
  EXPECT_EQ(summary.functions, 1u);
  std::vector<std::string> ops;
  for (const OpCount& op : summary.nodes.by_op)
    ops.push_back(fmt::format("{} {} {}{}", op.nodes, op.domain, op.op, op.function ? "()" : ""));
  EXPECT_EQ(ops, (std::vector<std::string>{"7 ai.onnx Constant", "1 ai.onnx Add", "1 ai.onnx ConstantOfShape",
                                           "1 ai.onnx Identity", "1 ai.onnx If", "1 ai.onnx Loop", "1 my f()"}));

  const WeightTotals weights = total(list_tensors(model));
  EXPECT_EQ(weights.tensors, 11u);
  EXPECT_EQ(weights.parameters, 21u);
  EXPECT_EQ(weights.bytes, 91u);
  EXPECT_EQ(weights.wrong_size, 0u);
  EXPECT_EQ(weights.by_type.front().name, "float");
  EXPECT_EQ(weights.by_type.front().parameters, 16u);
}

TEST(Summary, ListsOptionalInputsApart) {
  const Model model = text::parse_model(R"(<ir_version: 3, opset_import: ["" : 7]>
    g (float[N, ?] x, float[2] w = {1, 2}) => (float[] y) { y = Add (x, w) })");
  const Summary summary = summarize(model);
  ASSERT_EQ(summary.inputs.size(), 1u);
  ASSERT_EQ(summary.inputs_with_default.size(), 1u);
  EXPECT_EQ(summary.inputs_with_default[0].name, "w");
  const InterfaceLine& x = summary.inputs[0];
  EXPECT_EQ(x.type, "float[N,?]");
  EXPECT_EQ(x.element, "float");
  ASSERT_TRUE(x.shape && x.shape->size() == 2);
  EXPECT_EQ(std::get<std::string>((*x.shape)[0]), "N");
  EXPECT_TRUE(std::holds_alternative<std::monostate>((*x.shape)[1]));
  EXPECT_FALSE(summary.outputs[0].shape.has_value());
}

// --- Hostile sizes, made field by field.

namespace fields = format::fields;
using tests::Message;

Model model_with(const Message& tensor) {
  const Message graph = Message().message(fields::graph::kInitializer, tensor);
  return format::read_model(Bytes::owned(Message().message(fields::model::kGraph, graph).bytes()));
}

TEST(TensorList, LyingShapesAreNotBelieved) {
  // 2^40 int64 elements in a typed field of three bytes.
  const Model lying = model_with(Message()
                                     .number(fields::tensor::kDims, std::int64_t{1} << 40)
                                     .number(fields::tensor::kDataType, 7)
                                     .text(fields::tensor::kInt64Data, "\x01\x02\x03")
                                     .text(fields::tensor::kName, "w"));
  const TensorList list = list_tensors(lying);
  ASSERT_EQ(list.entries.size(), 1u);
  EXPECT_EQ(list.entries[0].bytes, 24u);
  EXPECT_TRUE(list.entries[0].wrong_size);
  EXPECT_EQ(total(list).wrong_size, 1u);

  const Model negative = model_with(Message()
                                        .number(fields::tensor::kDims, -1)
                                        .number(fields::tensor::kDataType, 1)
                                        .text(fields::tensor::kRawData, "abcd"));
  EXPECT_EQ(list_tensors(negative).entries[0].elements, std::nullopt);
  EXPECT_EQ(list_tensors(negative).entries[0].bytes, 4u);
}

TEST(TensorList, DeepScopesAreShortened) {
  std::string text = "<ir_version: 8, opset_import: [\"\" : 17]> main () => (float y) {";
  constexpr int kDepth = 20;
  for (int i = 0; i < kDepth; ++i)
    text += fmt::format("[n{}] v{} = If (c) <then_branch = g () => (float o{}) {{", i, i, i);
  text += "deep = Constant <value_float: float = 1.0> ()";
  for (int i = 0; i < kDepth; ++i) text += "}>";
  const Model model = text::parse_model(text + "}");
  const TensorList list = list_tensors(model);
  ASSERT_EQ(list.entries.size(), 1u);
  EXPECT_EQ(scope_text(list, list.entries[0].scope), "(17 more)/n17/then_branch/n18/then_branch/n19/then_branch");
}

// --- Duplicates

std::vector<std::string> names_of(const TensorList& list, const DuplicateGroup& group) {
  std::vector<std::string> names;
  for (const std::uint32_t i : group.tensors) names.emplace_back(list.entries[i].name);
  return names;
}

TEST(Duplicates, AreFoundAcrossPlacesAndShapes) {
  const Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    g () => (float[2] y)
    <float[2] a = {1, 2}, float[2] b = {1, 2}, float[1, 2] c = {1, 2}, float[2] other = {1, 3}, int64[1] as_int = {4611686019492741120},
     string[2] s1 = {"ab", ""}, string[2] s2 = {"a", "b"}, string[2] s3 = {"a", "b"}, float[0] e1 = {}, float[0] e2 = {}>
    { y = Constant <value = float[2] {1, 2}> () })");
  const TensorList list = list_tensors(model);
  const Duplicates found = find_duplicates(list);
  ASSERT_EQ(found.same_tensor.size(), 2u);
  EXPECT_EQ(names_of(list, found.same_tensor[0]), (std::vector<std::string>{"a", "b", "y"}));
  EXPECT_EQ(found.same_tensor[0].copies, 3u);
  EXPECT_EQ(found.same_tensor[0].bytes, 8u);
  EXPECT_EQ(names_of(list, found.same_tensor[1]), (std::vector<std::string>{"s2", "s3"}));
  EXPECT_EQ(found.bytes_same_tensor, 2 * 8u + 2u);
  ASSERT_EQ(found.same_bytes.size(), 1u);
  EXPECT_EQ(names_of(list, found.same_bytes[0]), (std::vector<std::string>{"a", "c", "as_int"}));
  EXPECT_EQ(found.bytes_same_bytes, 2 * 8u);
  EXPECT_TRUE(found.unreadable.empty());
}

TEST(Duplicates, ReadOnlyWhatCanBeEqual) {
  const Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    g () => (float y) <float[3] a = {1, 2, 3}, float[5] b = {1, 2, 3, 4, 5}, float[2] c = {1, 2}, float[2] d = {3, 4}> { y = Identity (a) })");
  const Duplicates found = find_duplicates(list_tensors(model));
  EXPECT_EQ(found.bytes_read, 16u);
  EXPECT_TRUE(found.same_tensor.empty());
  EXPECT_TRUE(found.same_bytes.empty());
}

TEST(Duplicates, SayWhatCouldNotBeRead) {
  const Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    g () => (float y)
    <float[2] a = {1, 2}, float[2] b = ["location" : "missing.data", "offset" : "0", "length" : "8"]> { y = Identity (a) })");
  const Duplicates found = find_duplicates(list_tensors(model));
  ASSERT_EQ(found.unreadable.size(), 1u);
  EXPECT_EQ(found.unreadable[0].tensor, 1u);
  EXPECT_NE(found.unreadable[0].reason.find("missing.data"), std::string::npos);
}

}  // namespace
}  // namespace onnxpress::analysis

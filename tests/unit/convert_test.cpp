// Converting: forms, moving weights in and out, stripping, repairing, and reporting losses.
#include "onnxpress/tasks/files/convert.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/inspect/info.h"
#include "onnxpress/tasks/jobs/ask_files.h"
#include "tests/support/encode.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

using tests::Message;
using tests::TempFolder;
namespace fields = format::fields;

constexpr std::string_view kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float[N, 4] y)
<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, float[N, 4] h>
{
  [product] h = MatMul (x, w)
  [sum] y = Add (h, b)
  b = Constant <value = float[4] {1, 2, 3, 4}> ()
}
)";

class Convert : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  ConvertReport run(const std::string& from, const std::string& to, const ConvertOptions& options = {}) {
    ConvertStreams streams;
    streams.standard_output = [this](std::string_view text) { output_ += text; };
    return convert(from == "-" ? from : path(from), to == "-" ? to : path(to), options, streams);
  }
  std::string read(const std::string& name) const { return tests::content_of(folder_ / name); }

  TempFolder folder_;
  std::string output_;
};

TEST_F(Convert, GoesThroughEveryFormAndBack) {
  folder_.write("m.onnxtxt", kModel);
  run("m.onnxtxt", "m.onnx");
  run("m.onnx", "m.json");
  run("m.json", "back.onnx");
  EXPECT_EQ(read("m.onnx"), read("back.onnx"));
  run("m.onnx", "copy.onnx");
  EXPECT_EQ(read("m.onnx"), read("copy.onnx"));
  run("m.onnx", "t1.onnxtxt");
  run("t1.onnxtxt", "t2.txt");
  EXPECT_EQ(read("t1.onnxtxt"), read("t2.txt"));
}

TEST_F(Convert, WritesOntoItsInput) {
  folder_.write("m.onnxtxt", kModel);
  run("m.onnxtxt", "m.onnx");
  const std::string before = read("m.onnx");
  run("m.onnx", "m.onnx");
  EXPECT_EQ(read("m.onnx"), before);
  run("m.onnxtxt", "m.onnxtxt");
  ConvertOptions options;
  options.strip.strip_names = true;
  run("m.onnx", "m.onnx", options);
  EXPECT_LT(read("m.onnx").size(), before.size());
}

TEST_F(Convert, StandardOutputGetsTheModelAndNothingElse) {
  folder_.write("m.onnxtxt", kModel);
  run("m.onnxtxt", "m.onnx");
  ConvertOptions options;
  options.to = ModelForm::kOnnx;
  const ConvertReport report = run("m.onnx", "-", options);
  EXPECT_EQ(output_, read("m.onnx"));
  ASSERT_EQ(report.files.size(), 1u);
  EXPECT_EQ(report.files[0].path, "-");
  EXPECT_EQ(report.files[0].bytes, output_.size());
}

TEST_F(Convert, OutputFormComesFromTheNameOrTheOption) {
  ConvertOptions options;
  EXPECT_EQ(output_format("x.onnx", options), ModelForm::kOnnx);
  EXPECT_EQ(output_format("x.json", options), ModelForm::kJson);
  EXPECT_EQ(output_format("x", options), std::nullopt);
  EXPECT_EQ(output_format("-", options), std::nullopt);
  options.to = ModelForm::kText;
  EXPECT_EQ(output_format("x.onnx", options), ModelForm::kText);
  folder_.write("m.onnxtxt", kModel);
  EXPECT_THROW(run("m.onnxtxt", "x"), Error);
}

TEST_F(Convert, MovesWeightsOutAndBackIn) {
  folder_.write("m.onnxtxt", kModel);
  run("m.onnxtxt", "m.onnx");
  ConvertOptions out;
  out.weights.external_data = "";
  out.weights.external_threshold = 1;
  out.weights.external_attributes = true;
  const ConvertReport report = run("m.onnx", "ext.onnx", out);
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_EQ(report.files[1].path, path("ext.onnx.data"));
  EXPECT_EQ(report.files[1].bytes, std::filesystem::file_size(path("ext.onnx.data")));

  ConvertOptions in;
  in.weights.single_file = true;
  run("ext.onnx", "single.onnx", in);
  EXPECT_EQ(info_file(path("single.onnx"), {}).bytes.external_files.size(), 0u);
  EXPECT_EQ(info_file(path("single.onnx"), {}).weights.bytes, 80u);
  // Text and JSON can also contain the weights.
  run("ext.onnx", "single.onnxtxt", in);
  EXPECT_EQ(info_file(path("single.onnxtxt"), {}).bytes.external_files.size(), 0u);
  run("ext.onnx", "single.json", in);
  EXPECT_EQ(info_file(path("single.json"), {}).weights.bytes, 80u);
  EXPECT_EQ(info_file(path("single.json"), {}).bytes.external_files.size(), 0u);
}

TEST_F(Convert, ExternalFilesGoAlongIntoAnotherFolder) {
  folder_.write("m.onnxtxt", kModel);
  ConvertOptions out;
  out.weights.external_data = "w.data";
  out.weights.external_threshold = 1;
  run("m.onnxtxt", "m.onnx", out);
  std::filesystem::create_directory(folder_ / "other");
  for (const char* name : {"other/m.onnx", "other/m.json", "other/m.onnxtxt"}) {
    std::filesystem::remove(folder_ / "other/w.data");
    run("m.onnx", name);
    EXPECT_EQ(read("other/w.data"), read("w.data")) << name;
  }
}

TEST_F(Convert, StripsWhatIsAskedFor) {
  const Message entry = Message().text(fields::entry::kKey, "k").text(fields::entry::kValue, "v");
  const Message tensor = Message()
                             .number(fields::tensor::kDims, 1)
                             .number(fields::tensor::kDataType, 1)
                             .text(fields::tensor::kName, "w")
                             .text(fields::tensor::kRawData, "abcd")
                             .text(fields::tensor::kDocString, "tensor doc")
                             .message(fields::tensor::kMetadataProps, entry);
  const Message attribute = Message()
                                .text(fields::attribute::kName, "value")
                                .number(fields::attribute::kType, 4)
                                .message(fields::attribute::kT, tensor)
                                .text(fields::attribute::kDocString, "attribute doc");
  const Message node = Message()
                           .text(fields::node::kOutput, "y")
                           .text(fields::node::kName, "n")
                           .text(fields::node::kOpType, "Constant")
                           .message(fields::node::kAttribute, attribute)
                           .text(fields::node::kDocString, "node doc")
                           .message(fields::node::kMetadataProps, entry);
  const Message info_y = Message()
                             .text(fields::value_info::kName, "y")
                             .text(fields::value_info::kDocString, "value doc")
                             .message(fields::value_info::kMetadataProps, entry);
  const Message graph = Message()
                            .message(fields::graph::kNode, node)
                            .text(fields::graph::kName, "g")
                            .message(fields::graph::kInitializer, tensor)
                            .text(fields::graph::kDocString, "graph doc")
                            .message(fields::graph::kOutput, info_y)
                            .message(fields::graph::kValueInfo, info_y)
                            .message(fields::graph::kMetadataProps, entry);
  const Message model = Message()
                            .number(fields::model::kIrVersion, 10)
                            .text(fields::model::kDocString, "model doc")
                            .message(fields::model::kGraph, graph)
                            .message(fields::model::kMetadataProps, entry);
  folder_.write("m.onnx", model.bytes());

  ConvertOptions options;
  options.strip.strip_names = options.strip.strip_docs = options.strip.strip_metadata = options.strip.strip_value_info =
      true;
  const ConvertReport report = run("m.onnx", "stripped.onnx", options);
  EXPECT_EQ(report.stripped.names, 1u);
  EXPECT_EQ(report.stripped.docs, 7u) << "model, graph, node, attribute, its tensor, initializer, output";
  EXPECT_EQ(report.stripped.metadata, 6u);
  EXPECT_EQ(report.stripped.value_infos, 1u);
  const std::string bytes = read("stripped.onnx");
  EXPECT_EQ(bytes.find("doc"), std::string::npos);
  EXPECT_EQ(bytes.find("\x0a\x01k"), std::string::npos);
  EXPECT_NE(bytes.find("abcd"), std::string::npos);
  EXPECT_EQ(run("stripped.onnx", "again.onnx", options).stripped.docs, 0u);
  EXPECT_EQ(read("again.onnx"), bytes) << "nothing to strip, so nothing is encoded again";
}

TEST_F(Convert, RepairWritesTheSortedNodesAndMissingOpsets) {
  folder_.write("m.onnxtxt", kModel);
  // The text lists the Constant last; the file is written with a node of another domain, and without imports.
  const Message first =
      Message().text(fields::node::kInput, "a").text(fields::node::kOutput, "b").text(fields::node::kOpType, "Relu");
  const Message second = Message()
                             .text(fields::node::kInput, "x")
                             .text(fields::node::kOutput, "a")
                             .text(fields::node::kOpType, "Odd")
                             .text(fields::node::kDomain, "my");
  const Message graph = Message()
                            .message(fields::graph::kNode, first)
                            .message(fields::graph::kNode, second)
                            .message(fields::graph::kInput, Message().text(fields::value_info::kName, "x"));
  folder_.write("unsorted.onnx",
                Message().number(fields::model::kIrVersion, 8).message(fields::model::kGraph, graph).bytes());

  EXPECT_EQ(run("unsorted.onnx", "kept.onnx").repairs, 0u);
  EXPECT_EQ(read("kept.onnx"), read("unsorted.onnx"));
  ConvertOptions options;
  options.repair = true;
  EXPECT_EQ(run("unsorted.onnx", "repaired.onnx", options).repairs, 3u) << "one order, two opsets";
  const Model repaired = format::read_model(path("repaired.onnx"));
  EXPECT_EQ(repaired.opset(""), 1);
  EXPECT_EQ(repaired.opset("my"), 1);
  EXPECT_EQ(repaired.graph().nodes().front()->op_type(), "Odd");
  EXPECT_TRUE(repaired.notes.empty());
  EXPECT_EQ(run("repaired.onnx", "again.onnx", options).repairs, 0u);
  EXPECT_EQ(read("again.onnx"), read("repaired.onnx"));
}

TEST_F(Convert, SaysThatElidedTensorsAreGone) {
  folder_.write("m.onnxtxt", kModel);
  ConvertOptions options;
  options.elide = 8;
  run("m.onnxtxt", "short.onnxtxt", options);
  EXPECT_LT(read("short.onnxtxt").find("more"), read("short.onnxtxt").size());
  const ConvertReport report = run("short.onnxtxt", "m.onnx");
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(report.lost[0], "1 tensor was elided in the input text; the output has zeros there");
}

TEST_F(Convert, SaysWhatJsonCannotHold) {
  folder_.write("m.onnx", Message()
                              .number(fields::model::kIrVersion, 8)
                              .message(fields::model::kGraph, Message().text(999, "new"))
                              .bytes());
  const ConvertReport report = run("m.onnx", "m.json");
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(report.lost[0].find("1 field unknown to ONNX"), 0u) << report.lost[0];
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["to"], "json");
  EXPECT_EQ(json["lost"].size(), 1u);
}

TEST_F(Convert, TextAndJsonAppearOnlyWithTheirExternalFiles) {
  folder_.write("m.onnxtxt", kModel);
  ConvertOptions outside;
  outside.weights.external_data = "w.data";
  outside.weights.external_threshold = 4;
  run("m.onnxtxt", "m.onnx", outside);
  std::filesystem::remove(folder_ / "w.data");
  std::filesystem::create_directory(folder_ / "other");
  for (const char* name : {"other/m.onnxtxt", "other/m.json", "other/m.onnx"}) {
    EXPECT_THROW(run("m.onnx", name), Error) << name;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "other"));
}

TEST_F(Convert, AFailedConversionLeavesTheOldOutput) {
  folder_.write("bad.onnx", "\xff\xff");
  folder_.write("out.onnxtxt", "old");
  EXPECT_THROW(run("bad.onnx", "out.onnxtxt"), Error);
  EXPECT_EQ(read("out.onnxtxt"), "old");
}

}  // namespace
}  // namespace onnxpress

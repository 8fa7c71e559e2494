// Writing: changed parts are encoded again, everything else stays byte for byte; unknown fields survive; weights can be
// moved out and back.
#include "onnxpress/format/write_model.h"

#include <gtest/gtest.h>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ir/walk.h"
#include "tests/support/encode.h"
#include "tests/support/temp_folder.h"

namespace onnxpress::format {
namespace {

namespace fs = std::filesystem;
using tests::content_of;
using tests::Message;
using tests::node;
using tests::raw_tensor;
using tests::TempFolder;
using tests::value_info;
namespace graph_field = fields::graph;

constexpr std::uint32_t kUnknownField = 999;

// A node with an encoding that our writer would not produce: fields in another order, and an unknown one.
Message odd_node(std::string_view op, std::string_view input, std::string_view output) {
  return Message()
      .text(fields::node::kOpType, op)
      .text(kUnknownField, "mine")
      .text(fields::node::kOutput, output)
      .text(fields::node::kInput, input);
}

Message odd_model() {
  const Message body = Message()
                           .message(graph_field::kOutput, value_info("r"))
                           .message(graph_field::kNode, odd_node("Inner", "x", "r"))
                           .text(kUnknownField, "in body");
  const Message branch = Message()
                             .number(fields::attribute::kType, 5)
                             .message(fields::attribute::kG, body)
                             .text(kUnknownField, "in attribute")
                             .text(fields::attribute::kName, "then_branch");
  const Message other = Message()
                            .text(fields::attribute::kName, "other")
                            .number(fields::attribute::kI, 7)
                            .number(fields::attribute::kType, 2);
  return tests::model(Message()
                          .message(graph_field::kInput, value_info("x"))
                          .message(graph_field::kNode, odd_node("A", "x", "a"))
                          .message(graph_field::kNode, odd_node("If", "a", "b")
                                                           .message(fields::node::kAttribute, other)
                                                           .message(fields::node::kAttribute, branch))
                          .message(graph_field::kInitializer,
                                   raw_tensor("w", 1, {2}, "abcdefgh").text(kUnknownField, "in tensor"))
                          .text(kUnknownField, "in graph"))
      .text(kUnknownField, "in model");
}

TEST(WriteModel, EncodesOnlyTheWayToAChange) {
  Model model = read_model(Bytes::owned(odd_model().bytes()));
  Node& branch = *model.graph().nodes().back();
  Graph& body = *std::get<Graph*>(branch.attribute("then_branch")->value);
  Node& inner = *body.nodes().front();
  body.set_node_texts(inner, "renamed", {});
  const std::string written = encode_model(model);

  // Unchanged: the first node and the other attribute, although they are unusual.
  EXPECT_NE(written.find(odd_node("A", "x", "a").bytes()), std::string::npos);
  EXPECT_NE(written.find(Message()
                             .text(fields::attribute::kName, "other")
                             .number(fields::attribute::kI, 7)
                             .number(fields::attribute::kType, 2)
                             .bytes()),
            std::string::npos);
  // Changed: the inner node, in canonical order, with the unknown field at the end.
  const Message expected = Message()
                               .text(fields::node::kInput, "x")
                               .text(fields::node::kOutput, "r")
                               .text(fields::node::kName, "renamed")
                               .text(fields::node::kOpType, "Inner")
                               .text(kUnknownField, "mine");
  EXPECT_NE(written.find(expected.bytes()), std::string::npos);
  for (const char* unknown : {"in body", "in attribute", "in graph", "in model", "in tensor"}) {
    EXPECT_NE(written.find(unknown), std::string::npos) << unknown;
  }
  Model again = read_model(Bytes::owned(written));
  EXPECT_EQ(verify(again), "");
  EXPECT_EQ(encode_model(again, true), encode_model(model, true));
}

TEST(WriteModel, EncodingAnewKeepsUnknownFieldsAndIsStable) {
  Model model = read_model(Bytes::owned(odd_model().bytes()));
  const std::string once = encode_model(model, true);
  EXPECT_NE(once, odd_model().bytes());
  Model again = read_model(Bytes::owned(once));
  EXPECT_EQ(encode_model(again, true), once);
  for (const char* unknown : {"mine", "in body", "in attribute", "in graph", "in model", "in tensor"}) {
    EXPECT_NE(once.find(unknown), std::string::npos) << unknown;
  }
}

TEST(WriteModel, NamesNewValuesAroundTheOldOnes) {
  Model model = read_model(Bytes::owned(tests::model(Message()
                                                         .message(graph_field::kNode, node("A", {"v0"}, {"v2"}))
                                                         .message(graph_field::kInput, value_info("v0")))
                                            .bytes()));
  Graph& graph = model.graph();
  Value* fresh = graph.create_value({});
  Value* input = graph.nodes().front()->input(0);
  Value* inputs[] = {input};
  Value* outputs[] = {fresh};
  graph.append({.op_type = "B", .inputs = inputs, .outputs = outputs});
  const std::string written = encode_model(model);
  EXPECT_EQ(fresh->name(), "v1");
  EXPECT_NE(written.find(node("B", {"v0"}, {"v1"}).bytes()), std::string::npos);
}

TEST(WriteModel, WritesTheSamePathItReads) {
  const TempFolder folder;
  const fs::path path = folder.write("m.onnx", odd_model().bytes());
  Model model = read_model(path);
  write_model(model, path);
  EXPECT_EQ(content_of(path), odd_model().bytes());
  model.graph().set_name("new");
  write_model(model, path);
  EXPECT_EQ(read_model(path).graph().name(), "new");
}

// --- External data

std::string large(char c, std::size_t size) { return std::string(size, c); }

Message three_weights() {
  const Message constant = Message()
                               .text(fields::attribute::kName, "value")
                               .message(fields::attribute::kT, raw_tensor("c", 2, {5000}, large('c', 5000)))
                               .number(fields::attribute::kType, 4);
  return tests::model(
      Message()
          .message(graph_field::kNode, node("Constant", {}, {"k"}).message(fields::node::kAttribute, constant))
          .message(graph_field::kInitializer, raw_tensor("small", 2, {4}, "abcd"))
          .message(graph_field::kInitializer, raw_tensor("page", 2, {5000}, large('p', 5000)))
          .message(graph_field::kInitializer, raw_tensor("big", 2, {1 << 20}, large('b', 1 << 20))));
}

std::string described(const Model& model) {
  std::string out;
  for_each_tensor(model, [&](const Tensor& tensor, const TensorPlace&) {
    out += std::string(tensor.name);
    if (const auto* range = std::get_if<FileRange>(&tensor.content)) {
      out += "@" + range->file->location() + "+" + std::to_string(range->offset) + ":" +
             std::to_string(range->length.value_or(0));
    }
    const Bytes bytes = tensor.bytes();
    out += "=" + std::string(bytes.view().substr(0, 1)) + std::to_string(bytes.size()) + " ";
  });
  return out;
}

TEST(ExternalData, GoesOutAlignedAndComesBackTheSame) {
  const TempFolder folder;
  const fs::path path = folder.write("m.onnx", three_weights().bytes());
  Model model = read_model(path);
  const WriteReport report =
      write_model(model, folder / "out.onnx", {.weights = WriteOptions::Weights::kExternal, .external_name = "w.data"});
  EXPECT_EQ(report.external_bytes, 65536U + (1U << 20));
  ASSERT_EQ(report.files.size(), 2U);

  Model outside = read_model(folder / "out.onnx");
  EXPECT_EQ(described(outside), "small=a4 page@w.data+0:5000=p5000 big@w.data+65536:1048576=b1048576 c=c5000 ");
  write_model(outside, folder / "back.onnx", {.weights = WriteOptions::Weights::kSingleFile});
  EXPECT_EQ(content_of(folder / "back.onnx"), three_weights().bytes());
}

TEST(ExternalData, TakesAttributesAndAThresholdWhenAsked) {
  const TempFolder folder;
  Model model = read_model(folder.write("m.onnx", three_weights().bytes()));
  write_model(model, folder / "out.onnx",
              {.weights = WriteOptions::Weights::kExternal, .external_threshold = 1, .external_attributes = true});
  EXPECT_EQ(described(read_model(folder / "out.onnx")),
            "small@out.onnx.data+0:4=a4 page@out.onnx.data+4096:5000=p5000 big@out.onnx.data+65536:1048576=b1048576 "
            "c@out.onnx.data+1114112:5000=c5000 ");
}

TEST(ExternalData, TravelsWithTheModelIntoAnotherFolder) {
  const TempFolder folder;
  fs::create_directory(folder / "there");
  Model model = read_model(folder.write("m.onnx", three_weights().bytes()));
  write_model(model, folder / "out.onnx", {.weights = WriteOptions::Weights::kExternal, .external_name = "sub/w.data"});
  Model outside = read_model(folder / "out.onnx");
  write_model(outside, folder / "there/out.onnx");
  EXPECT_EQ(content_of(folder / "there/out.onnx"), content_of(folder / "out.onnx"));
  EXPECT_EQ(content_of(folder / "there/sub/w.data"), content_of(folder / "sub/w.data"));
  write_model(outside, folder / "there/out.onnx");  // again, which is fine because the same file is already there

  folder.write("there/sub/w.data", "somebody else's");
  EXPECT_THROW(write_model(outside, folder / "there/out.onnx"), Error);
  EXPECT_EQ(content_of(folder / "there/sub/w.data"), "somebody else's");
  write_model(outside, folder / "there/out.onnx", {.overwrite_external = true});
  EXPECT_EQ(content_of(folder / "there/sub/w.data"), content_of(folder / "sub/w.data"));
}

TEST(ExternalData, IsRewrittenInPlace) {
  const TempFolder folder;
  Model model = read_model(folder.write("m.onnx", three_weights().bytes()));
  const WriteOptions external = {.weights = WriteOptions::Weights::kExternal, .external_name = "w.data"};
  write_model(model, folder / "m.onnx", external);
  Model outside = read_model(folder / "m.onnx");
  write_model(outside, folder / "m.onnx", external);
  EXPECT_EQ(described(read_model(folder / "m.onnx")),
            "small=a4 page@w.data+0:5000=p5000 big@w.data+65536:1048576=b1048576 c=c5000 ");
}

TEST(ExternalData, NeverGoesOutsideTheOutputFolder) {
  const TempFolder folder;
  Model model = read_model(folder.write("in/m.onnx", three_weights().bytes()));
  for (const char* name : {"../w.data", "/tmp/w.data", "a/../../w.data", "m.onnx", "./m.onnx"}) {
    EXPECT_THROW(
        write_model(model, folder / "in/m.onnx", {.weights = WriteOptions::Weights::kExternal, .external_name = name}),
        Error)
        << name;
  }
  fs::create_directory_symlink(folder.path(), folder / "in/link");
  EXPECT_THROW(write_model(model, folder / "in/m.onnx",
                           {.weights = WriteOptions::Weights::kExternal, .external_name = "link/w.data"}),
               Error);
  EXPECT_FALSE(fs::exists(folder / "w.data"));
  EXPECT_EQ(content_of(folder / "in/m.onnx"), three_weights().bytes());
}

// --- Streams

class Lying final : public ByteStream {
 public:
  explicit Lying(std::uint64_t gives) : gives_(gives) {}
  std::uint64_t size() const override { return 8; }
  void produce(const std::function<void(std::string_view)>& take) const override { take(std::string(gives_, 'x')); }

 private:
  std::uint64_t gives_;
};

TEST(WriteModel, ABadStreamLeavesTheOldFile) {
  const TempFolder folder;
  const fs::path path = folder.write("m.onnx", three_weights().bytes());
  for (const std::uint64_t gives : {0, 7, 9}) {
    Model model = read_model(path);
    Tensor* made = model.arena().make<Tensor>();
    const std::int64_t dims[] = {8};
    made->dims = model.arena().copy(std::span<const std::int64_t>(dims));
    made->type = ElementType::kUint8;
    made->storage = Storage::kMade;
    made->content = std::shared_ptr<const ByteStream>(std::make_shared<Lying>(gives));
    model.graph().set_tensor(model.graph().initializers()[0], made);
    EXPECT_THROW(write_model(model, path), Error) << gives;
    EXPECT_EQ(content_of(path), three_weights().bytes());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  }
}

}  // namespace
}  // namespace onnxpress::format

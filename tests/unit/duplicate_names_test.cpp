// Names that one graph defines twice: what they mean, and that a file stays as it is.
#include "onnxpress/ir/duplicate_names.h"

#include <gtest/gtest.h>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress {
namespace {

Model read(const std::string& encoded) { return format::read_model(Bytes::owned(std::string(encoded)), {}); }

std::string encoded(std::string_view text) {
  Model model = text::parse_model(text);
  return format::encode_model(model);
}

// The nodes that define `name`, and the value that the last node reads first.
const Value& read_by_last_node(const Model& model) { return *model.graph().nodes().back()->input(0); }

std::string json_like(std::string_view nodes, std::string_view initializers = "") {
  return fmt::format("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1] x) => (float[1] y) {} {{ {} }}",
                     initializers, nodes);
}

TEST(DuplicateNames, TheLastConstantCountsForEveryUse) {
  const std::string text = json_like(
      "c = Constant <value = float[1] {1}> () t = Add (c, x) c = Constant <value = float[1] {10}> () y = Add (c, t)");
  // Text is changed from the start, so its hidden constant gets a name; JSON and files keep both.
  Model model = text::parse_model(text);
  ASSERT_EQ(read_by_last_node(model).producer()->previous()->op_type(), "Add");
  EXPECT_EQ(model.graph().nodes().front()->next()->input(0), &read_by_last_node(model));
  EXPECT_TRUE(has_note(model, kHiddenConstant));
  EXPECT_EQ(verify(model), "");
}

TEST(DuplicateNames, AConstantHidesAnInitializer) {
  Model model =
      text::parse_model(json_like("c = Constant <value = float[1] {1}> () y = Add (c, x)", "<float[1] c = {5}>"));
  EXPECT_NE(read_by_last_node(model).producer(), nullptr);
  EXPECT_EQ(model.graph().initializers()[0]->first_use(), nullptr);
}

TEST(DuplicateNames, TheLastInitializerCounts) {
  Model model = text::parse_model(json_like("y = Add (c, x)", "<float[1] c = {5}, float[1] c = {6}>"));
  EXPECT_EQ(&read_by_last_node(model), model.graph().initializers()[1]);
}

TEST(DuplicateNames, WrittenAfterAChangeTheyAreUnique) {
  const std::string text = json_like(
      "c = Constant <value = float[1] {1}> () t = Add (c, x) c = Constant <value = float[1] {10}> () y = Add (c, t)");
  Model again = read(encoded(text));
  EXPECT_FALSE(has_note(again, kHiddenConstant));
  const Value& read_last = read_by_last_node(again);
  EXPECT_EQ(read_last.name(), "c");
  const Attribute* value = read_last.producer()->attribute("value");
  EXPECT_EQ(std::get<Tensor*>(value->value)->bytes().view(), std::string_view("\0\0\x20\x41", 4));
}

TEST(DuplicateNames, TheDefaultOfAnInputAndOtherNodesAreAmbiguous) {
  EXPECT_EQ(later_counts(DefinitionKind::kOther, DefinitionKind::kConstant), std::nullopt);
  EXPECT_EQ(later_counts(DefinitionKind::kConstant, DefinitionKind::kOther), std::nullopt);
  EXPECT_EQ(later_counts(DefinitionKind::kSparseInitializer, DefinitionKind::kSparseInitializer), std::nullopt);
  EXPECT_EQ(later_counts(DefinitionKind::kSparseInitializer, DefinitionKind::kConstant), false);
}

}  // namespace
}  // namespace onnxpress

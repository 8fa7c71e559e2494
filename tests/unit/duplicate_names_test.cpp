// Names that a graph defines twice: what they mean, and that the file stays as it is.
#include "onnxpress/ir/duplicate_names.h"

#include <fmt/format.h>
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

constexpr std::string_view kTen("\0\0\x20\x41", 4);

// The bytes of a Constant node.
std::string number_in(const Value& value) {
  return std::string(std::get<Tensor*>(value.producer()->attribute("value")->value)->bytes().view());
}

// The first operand of the last node.
const Value& read_by_last_node(const Model& model) { return *model.graph().nodes().back()->input(0); }

std::string model_text(std::string_view nodes, std::string_view initializers = "") {
  return fmt::format("<ir_version: 8, opset_import: [\"\" : 17]> g (float[1] x) => (float[1] y) {} {{ {} }}",
                     initializers, nodes);
}

TEST(DuplicateNames, TheLastConstantCountsForEveryUse) {
  const std::string text = model_text(
      "c = Constant <value = float[1] {1}> () t = Add (c, x) c = Constant <value = float[1] {10}> () y = Add (c, t)");
  const Model model = text::parse_model(text);
  EXPECT_EQ(number_in(read_by_last_node(model)), kTen);
  EXPECT_EQ(model.graph().nodes().back()->previous()->input(0), &read_by_last_node(model));
  EXPECT_TRUE(has_note(model, kHiddenConstant));
  EXPECT_EQ(verify(model), "");
}

TEST(DuplicateNames, AConstantHidesAnInitializer) {
  Model model =
      text::parse_model(model_text("c = Constant <value = float[1] {1}> () y = Add (c, x)", "<float[1] c = {5}>"));
  EXPECT_NE(read_by_last_node(model).producer(), nullptr);
  EXPECT_EQ(model.graph().initializers()[0]->first_use(), nullptr);
}

TEST(DuplicateNames, TheLastInitializerCounts) {
  Model model = text::parse_model(model_text("y = Add (c, x)", "<float[1] c = {5}, float[1] c = {6}>"));
  EXPECT_EQ(&read_by_last_node(model), model.graph().initializers()[1]);
}

TEST(DuplicateNames, ATextWithAmbiguousNamesIsCopiedButNotChanged) {
  const std::string text = model_text("t = Neg (x) t = Abs (x) y = Add (t, t)");
  const Model model = text::parse_model(text);
  EXPECT_TRUE(has_note(model, kAmbiguousName));
  EXPECT_THROW(require_clear_names(model), Error);
  EXPECT_TRUE(has_note(read(encoded(text)), kAmbiguousName));
}

TEST(DuplicateNames, WrittenAfterAChangeTheyAreUnique) {
  const std::string text = model_text(
      "c = Constant <value = float[1] {1}> () t = Add (c, x) c = Constant <value = float[1] {10}> () y = Add (c, t)");
  Model again = read(encoded(text));
  EXPECT_FALSE(has_note(again, kHiddenConstant));
  const Value& read_last = read_by_last_node(again);
  EXPECT_EQ(read_last.name(), "c");
  EXPECT_EQ(number_in(read_last), kTen);
}

TEST(DuplicateNames, TheDefaultOfAnInputAndOtherNodesAreAmbiguous) {
  EXPECT_EQ(later_counts(DefinitionKind::kOther, DefinitionKind::kConstant), std::nullopt);
  EXPECT_EQ(later_counts(DefinitionKind::kConstant, DefinitionKind::kOther), std::nullopt);
  EXPECT_EQ(later_counts(DefinitionKind::kSparseInitializer, DefinitionKind::kSparseInitializer), std::nullopt);
  EXPECT_EQ(later_counts(DefinitionKind::kSparseInitializer, DefinitionKind::kConstant), false);
}

}  // namespace
}  // namespace onnxpress

// The IR's own promises: types, sizes, use lists, erasing and renaming.
#include "onnxpress/ir/graph.h"

#include <gtest/gtest.h>

#include "onnxpress/ir/model.h"
#include "onnxpress/ir/sort_nodes.h"
#include "onnxpress/ir/verify.h"

namespace onnxpress {
namespace {

Node* add_node(Graph& graph, std::string_view op, std::vector<Value*> inputs, std::vector<Value*> outputs,
               Node* before = nullptr) {
  return graph.insert_before(before, {.op_type = op, .inputs = inputs, .outputs = outputs});
}

class GraphTest : public testing::Test {
 protected:
  Model model_;
  Graph& graph_ = model_.graph();
  Value* x_ = graph_.create_value("x");
  Value* a_ = graph_.create_value("a");
  Value* b_ = graph_.create_value("b");
  Node* first_ = add_node(graph_, "A", {x_}, {a_});
  Node* second_ = add_node(graph_, "B", {a_, a_, nullptr}, {b_});

  void TearDown() override { EXPECT_EQ(verify(model_), ""); }
};

TEST_F(GraphTest, CountsUses) {
  EXPECT_EQ(x_->use_count(), 1U);
  EXPECT_EQ(a_->use_count(), 2U);
  EXPECT_EQ(b_->use_count(), 0U);
  EXPECT_EQ(second_->input(2), nullptr);
  EXPECT_EQ(second_->input(99), nullptr);
}

TEST_F(GraphTest, ReplacesUsesEverywhere) {
  graph_.replace_uses(a_, x_);
  EXPECT_EQ(a_->use_count(), 0U);
  EXPECT_EQ(x_->use_count(), 3U);
  EXPECT_EQ(second_->input(0), x_);
}

TEST_F(GraphTest, ChangesOperands) {
  graph_.set_input(*second_, 2, x_);
  EXPECT_EQ(x_->use_count(), 2U);
  Value* longer[] = {x_, x_, x_, a_};
  graph_.set_inputs(*second_, longer);
  EXPECT_EQ(x_->use_count(), 4U);
  EXPECT_EQ(a_->use_count(), 1U);
  Value* shorter[] = {a_};
  graph_.set_inputs(*second_, shorter);
  EXPECT_EQ(x_->use_count(), 1U);
  EXPECT_EQ(second_->input_count(), 1U);
}

TEST_F(GraphTest, ErasesWhileIterating) {
  std::size_t seen = 0;
  for (Node& node : graph_.nodes()) {
    ++seen;
    graph_.erase(node);
  }
  EXPECT_EQ(seen, 2U);
  EXPECT_TRUE(graph_.nodes().empty());
  EXPECT_EQ(x_->use_count(), 0U);
  EXPECT_EQ(a_->producer(), nullptr);
  EXPECT_TRUE(first_->erased());
}

TEST_F(GraphTest, ErasingANodeDropsWhatItsBodyUses) {
  Graph* body = model_.create_body();
  add_node(*body, "Inner", {x_}, {body->create_value("r")});
  body->add_output(x_, nullptr);
  Attribute branch{.name = "then_branch", .type = AttributeType::kGraph, .value = body};
  Attribute* attributes[] = {&branch};
  Node* owner = graph_.append({.op_type = "If", .attributes = attributes});
  EXPECT_EQ(body->owner(), owner);
  EXPECT_EQ(x_->use_count(), 2U);
  EXPECT_TRUE(x_->is_output());
  graph_.erase(*owner);
  EXPECT_EQ(x_->use_count(), 1U);
  EXPECT_FALSE(x_->is_output());
}

TEST_F(GraphTest, MovesAndSortsNodes) {
  graph_.move_before(*second_, first_);
  EXPECT_EQ(graph_.nodes().front(), second_);
  EXPECT_EQ(sort_nodes(graph_), NodeOrder::kSortedNow);
  EXPECT_EQ(graph_.nodes().front(), first_);
  EXPECT_EQ(sort_nodes(graph_), NodeOrder::kWasSorted);
}

TEST_F(GraphTest, RenamesAValueInAllItsPlaces) {
  Tensor tensor{.name = "w", .type = ElementType::kFloat};
  Value* w = graph_.create_value("w");
  graph_.add_initializer(w, &tensor);
  graph_.add_quantization_annotation({.tensor_name = "w"});
  graph_.rename(*w, "weight");
  EXPECT_EQ(tensor.name, "weight");
  EXPECT_EQ(graph_.quantization_annotations()[0].tensor_name, "weight");
  EXPECT_NE(model_.context().names.find("weight"), NameTable::kNone);
}

TEST(Dim, HoldsSizesSymbolsAndUnknowns) {
  Model model;
  const Dim batch = Dim::symbol(model.context().symbol("batch"));
  EXPECT_EQ(batch, Dim::symbol(model.context().symbol(std::string("bat") + "ch")));
  EXPECT_NE(batch, Dim::symbol(model.context().symbol("other")));
  EXPECT_EQ(to_string(batch), "batch");
  EXPECT_TRUE(Dim().is_unknown());
  EXPECT_EQ(to_string(Dim()), "?");
  for (const std::int64_t size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, Dim::kMostSize, -Dim::kMostSize}) {
    EXPECT_TRUE(Dim::fits(size));
    EXPECT_EQ(Dim::size(size).size(), size);
    EXPECT_FALSE(Dim::size(size).is_symbol());
  }
  EXPECT_FALSE(Dim::fits(INT64_MAX));
  EXPECT_FALSE(Dim::fits(INT64_MIN));
}

TEST(ElementType, KnowsNamesAndWidths) {
  for (int number = 1; number < kElementTypeCount; ++number) {
    const auto type = static_cast<ElementType>(number);
    EXPECT_TRUE(is_known(type));
    EXPECT_EQ(element_type_named(name_of(type)), type);
    EXPECT_EQ(bits_of(type) == 0, type == ElementType::kString);
  }
  EXPECT_FALSE(is_known(static_cast<ElementType>(99)));
  EXPECT_FALSE(is_known(static_cast<ElementType>(-1)));
  EXPECT_EQ(element_type_named("undefined"), std::nullopt);
  EXPECT_EQ(raw_size(ElementType::kInt4, 3), 2U);
  EXPECT_EQ(raw_size(ElementType::kInt2, 5), 2U);
  EXPECT_EQ(raw_size(ElementType::kFloat6e2m3, 5), 4U);
  EXPECT_EQ(raw_size(ElementType::kComplex128, 1), 16U);
  EXPECT_EQ(raw_size(ElementType::kDouble, ~std::uint64_t{0} / 8), std::nullopt);
  EXPECT_EQ(raw_size(ElementType::kString, 1), std::nullopt);
}

TEST(Dims, MultiplyWithoutOverflow) {
  const std::int64_t plain[] = {2, 3}, negative[] = {2, -1}, huge[] = {INT64_MAX, INT64_MAX},
                     zero[] = {INT64_MAX, INT64_MAX, 0};
  EXPECT_EQ(product_of({}), 1U);
  EXPECT_EQ(product_of(plain), 6U);
  EXPECT_EQ(product_of(negative), std::nullopt);
  EXPECT_EQ(product_of(huge), std::nullopt);
  EXPECT_EQ(product_of(zero), 0U);
}

}  // namespace
}  // namespace onnxpress

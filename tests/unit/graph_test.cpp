// What the IR guarantees: types, sizes, use lists, erasing and renaming.
#include "onnxpress/ir/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

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
  graph_.replace_operands(a_, x_);
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

// --- Outputs of graphs are uses

TEST_F(GraphTest, ReplacesOperandsAndOutputs) {
  graph_.add_output(a_, nullptr);
  graph_.add_output(a_, nullptr);
  graph_.replace_operands(a_, x_);
  EXPECT_TRUE(a_->is_output());
  EXPECT_FALSE(a_->first_use());
  graph_.replace_all_uses(a_, b_);
  EXPECT_FALSE(a_->is_used());
  EXPECT_EQ(graph_.outputs()[0]->value, b_);
  EXPECT_EQ(graph_.outputs()[1]->value, b_);
  EXPECT_EQ(verify(model_), "");
  graph_.set_output(0, x_);
  EXPECT_EQ(x_->first_output()->graph, &graph_);
  EXPECT_EQ(x_->first_output()->index, 0U);
  EXPECT_EQ(b_->first_output()->index, 1U);
}

class BodyTest : public GraphTest {
 protected:
  // A body that reads x, and returns x and the result of a nested body: a.
  Attribute* nested_body() {
    Graph* inner = model_.create_body();
    inner->add_output(a_, nullptr);
    Graph* outer = model_.create_body();
    Value* r = outer->create_value("r");
    Attribute* attributes[] = {
        model_.arena().make<Attribute>(Attribute{.name = "body", .type = AttributeType::kGraph, .value = inner})};
    Value *inputs[] = {x_}, *outputs[] = {r};
    outer->append({.op_type = "Loop", .inputs = inputs, .outputs = outputs, .attributes = attributes});
    outer->add_output(x_, nullptr);
    return model_.arena().make<Attribute>(Attribute{.name = "body", .type = AttributeType::kGraph, .value = outer});
  }
};

TEST_F(BodyTest, ReplacingABodyDropsWhatItUses) {
  Attribute* attributes[] = {nested_body()};
  Node* owner = graph_.append({.op_type = "If", .attributes = attributes});
  EXPECT_EQ(x_->use_count(), 2U);
  EXPECT_TRUE(a_->is_output());
  graph_.set_attribute(*owner, nested_body());
  EXPECT_EQ(x_->use_count(), 2U);
  EXPECT_EQ(verify(model_), "");
  // The same body in another attribute object is kept.
  graph_.set_attribute(*owner, model_.arena().make<Attribute>(*owner->attributes()[0]));
  EXPECT_EQ(x_->use_count(), 2U);
  EXPECT_EQ(verify(model_), "");
  graph_.remove_attribute(*owner, "body");
  EXPECT_EQ(x_->use_count(), 1U);
  EXPECT_FALSE(x_->is_output());
  EXPECT_FALSE(a_->is_output());
}

TEST_F(BodyTest, VerifyFindsUsesByABodyThatNoNodeHas) {
  Attribute* attribute = nested_body();
  EXPECT_NE(verify(model_).find("of a node that is gone"), std::string::npos) << verify(model_);
  Attribute* attributes[] = {attribute};
  graph_.append({.op_type = "If", .attributes = attributes});
  EXPECT_EQ(verify(model_), "");
}

// --- Order

TEST_F(GraphTest, ErasesAnyNodeWhileIterating) {
  std::vector<Node*> nodes = {first_, second_};
  while (nodes.size() < 10) nodes.push_back(add_node(graph_, "C", {x_}, {}));
  std::vector<Node*> seen;
  for (Node& node : graph_.nodes()) {
    seen.push_back(&node);
    if (&node == nodes[1]) graph_.erase(*nodes[2]);  // the next one
    if (&node == nodes[3]) {                         // the current one, the next two, and one before
      graph_.erase(*nodes[3]);
      graph_.erase(*nodes[4]);
      graph_.erase(*nodes[5]);
      graph_.erase(*nodes[0]);
    }
    if (&node == nodes[7]) {  // all remaining nodes
      graph_.erase(*nodes[9]);
      graph_.erase(*nodes[8]);
    }
  }
  EXPECT_EQ(seen, (std::vector<Node*>{nodes[0], nodes[1], nodes[3], nodes[6], nodes[7]}));
  EXPECT_EQ(graph_.nodes().size(), 3U);
}

TEST_F(GraphTest, KnowsWhichNodeComesFirst) {
  EXPECT_TRUE(first_->comes_before(*second_));
  EXPECT_FALSE(second_->comes_before(*first_));
  EXPECT_FALSE(first_->comes_before(*first_));
  graph_.move_before(*second_, first_);
  EXPECT_TRUE(second_->comes_before(*first_));
  // Far more nodes at one place than repeatedly halving 64-bit numbers allows: verify() compares all neighbours.
  for (int i = 0; i < 2000; ++i) add_node(graph_, "C", {}, {}, first_);
  EXPECT_EQ(verify(model_), "");
  for (int i = 0; i < 2000; ++i) add_node(graph_, "C", {}, {}, graph_.nodes().front());
  EXPECT_EQ(verify(model_), "");
  for (int i = 0; i < 2000; ++i) add_node(graph_, "C", {}, {}, first_->next());
  EXPECT_EQ(verify(model_), "");
  Node* last = graph_.nodes().back();
  for (int i = 0; i < 2000; ++i) last = add_node(graph_, "C", {}, {}, last);
}

TEST_F(GraphTest, NodesOfOneOpHaveOneId) {
  Node* same = graph_.append({.op_type = "A", .domain = "ai.onnx"});
  Node* other = graph_.append({.op_type = "A", .domain = "custom"});
  Node* overloaded = graph_.append({.op_type = "A", .domain = "custom", .overload = "2"});
  EXPECT_EQ(first_->op_id(), same->op_id());
  EXPECT_NE(first_->op_id(), second_->op_id());
  EXPECT_NE(first_->op_id(), other->op_id());
  EXPECT_NE(overloaded->op_id(), other->op_id());
  EXPECT_EQ(model_.context().op_names[other->op_id()].domain, "custom");
}

// --- Declarations and names

TEST_F(GraphTest, ErasingANodeTakesTheDeclarationsOfItsOutputsAlong) {
  graph_.add_value_info(a_, nullptr);
  ValueInfo* kept = graph_.add_value_info(b_, nullptr);
  graph_.add_value_info(a_, nullptr);
  graph_.erase(*first_);
  ASSERT_EQ(graph_.value_infos().size(), 1U);
  EXPECT_EQ(graph_.value_infos()[0], kept);
  EXPECT_EQ(a_->first_declaration(), nullptr);
}

TEST_F(GraphTest, AValueThatAnotherNodeMakesKeepsItsDeclaration) {
  graph_.add_value_info(a_, nullptr);
  graph_.erase(*first_);
  add_node(graph_, "C", {x_}, {a_}, second_);
  EXPECT_EQ(graph_.value_infos().size(), 1U);
  Node* after = add_node(graph_, "D", {x_}, {b_});  // takes over b before the node that made it is removed
  graph_.erase(*second_);
  EXPECT_EQ(b_->producer(), after);
}

TEST_F(GraphTest, KeepsSomeDeclarations) {
  graph_.add_value_info(a_, nullptr);
  ValueInfo* kept = graph_.add_value_info(a_, nullptr);
  graph_.add_value_info(b_, nullptr);
  graph_.keep_value_infos({kept});
  EXPECT_EQ(a_->first_declaration(), kept);
  EXPECT_EQ(kept->next, nullptr);
  EXPECT_EQ(b_->first_declaration(), nullptr);
  graph_.clear_value_infos();
  EXPECT_TRUE(graph_.value_infos().empty());
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
  const MetadataEntry parameters[] = {{"SCALE_TENSOR", "w"}, {"ZERO_POINT_TENSOR", "z"}};
  graph_.add_quantization_annotation({.tensor_name = "x", .parameters = parameters});
  Graph* body = model_.create_body();
  ValueInfo* output = body->add_output(w, nullptr);
  graph_.set_attribute(*first_, model_.arena().make<Attribute>(
                                    Attribute{.name = "then_branch", .type = AttributeType::kGraph, .value = body}));
  graph_.rename(*w, "other");
  graph_.rename(*w, "weight");
  EXPECT_TRUE(output->changed);
  EXPECT_EQ(graph_.quantization_annotations()[1].tensor_name, "x");
  EXPECT_EQ(graph_.quantization_annotations()[1].parameters[0].value, "weight");
  EXPECT_EQ(graph_.quantization_annotations()[1].parameters[1].value, "z");
  EXPECT_EQ(tensor.name, "weight");
  EXPECT_EQ(graph_.quantization_annotations()[0].tensor_name, "weight");
  EXPECT_NE(model_.context().names.find("weight"), NameTable::kNone);
}

// Every kind of edit, thousands of times, in random order: the links are always consistent.
TEST(RandomEdits, KeepLinksAndOrderRight) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  Model model;
  Graph& graph = model.graph();
  std::vector<Value*> values = {graph.create_value("x"), graph.create_value("y")};
  std::vector<Node*> nodes;
  for (Value* value : values) graph.add_output(value, nullptr);
  const auto live_node = [&]() -> Node* {
    std::erase_if(nodes, [](const Node* node) { return node->erased(); });
    return nodes.empty() ? nullptr : nodes[below(nodes.size())];
  };
  const auto any_value = [&] { return values[below(values.size())]; };
  for (int step = 0; step < 5000; ++step) {
    Node* node = live_node();
    const std::size_t edit = node ? below(10) : 0;
    if (edit <= 2) {
      Attribute* attribute = nullptr;
      if (below(4) == 0) {
        Graph* body = model.create_body();
        add_node(*body, "Inner", {any_value(), any_value()}, {body->create_value({})});
        body->add_output(any_value(), nullptr);
        attribute =
            model.arena().make<Attribute>(Attribute{.name = "body", .type = AttributeType::kGraph, .value = body});
      }
      Value* outputs[] = {graph.create_value({})};
      Value* inputs[] = {any_value(), any_value()};
      graph.add_value_info(outputs[0], nullptr);
      if (attribute && node && below(2) == 0) {
        graph.set_attribute(*node, attribute);
        attribute = nullptr;
      }
      nodes.push_back(graph.insert_before(
          node,
          {.op_type = "A", .inputs = inputs, .outputs = outputs, .attributes = {&attribute, attribute ? 1U : 0U}}));
      values.push_back(outputs[0]);
    } else if (edit == 3) {
      graph.erase(*node);
    } else if (edit == 4) {
      graph.move_before(*node, live_node());
    } else if (edit == 5) {
      graph.replace_operands(any_value(), any_value());
    } else if (edit == 6) {
      graph.replace_all_uses(any_value(), any_value());
    } else if (edit == 7) {
      graph.set_output(below(2), any_value());
    } else if (edit == 8) {
      Value* inputs[] = {any_value(), nullptr, any_value()};
      graph.set_inputs(*node, std::span<Value* const>(inputs).first(below(4)));
    } else {
      graph.remove_attribute(*node, "body");
    }
    if (step % 50 == 0) ASSERT_EQ(verify(model), "") << step;
  }
  EXPECT_EQ(verify(model), "");
  EXPECT_EQ(verify(model.clone()), "");
  const auto declared = std::ranges::count_if(values, [](const Value* value) { return value->producer() != nullptr; });
  EXPECT_EQ(graph.value_infos().size(), static_cast<std::size_t>(declared));
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

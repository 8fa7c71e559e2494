// GraphListener: every change to a graph is announced once, with the previous state.
#include "onnxpress/ir/listener.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace onnxpress {
namespace {

class Recorder : public GraphListener {
 public:
  std::vector<std::string> heard;

  void node_created(Node& node) override { heard.push_back(fmt::format("created {}", node.op_type())); }
  void node_erased(Node& node) override {
    heard.push_back(fmt::format("erased {} of {}", node.op_type(), name(node.input(0))));
  }
  void node_moved(Node& node) override { heard.push_back(fmt::format("moved {}", node.op_type())); }
  void operand_replaced(Node& user, std::size_t index, Value* before) override {
    heard.push_back(fmt::format("{}[{}]: {} -> {}", user.op_type(), index, name(before), name(user.input(index))));
  }
  void output_replaced(Graph& graph, std::size_t index, Value* before) override {
    heard.push_back(fmt::format("output {}: {} -> {}", index, name(before), name(graph.outputs()[index]->value)));
  }
  void attribute_changed(Node& node, std::string_view attribute) override {
    heard.push_back(fmt::format("{}.{}", node.op_type(), attribute));
  }
  void initializer_changed(Value& value) override {
    heard.push_back(fmt::format("{} {}", value.constant() ? "constant" : "not constant", value.name()));
  }
  void type_changed(Value& value) override { heard.push_back(fmt::format("type of {}", value.name())); }
  void value_renamed(Value& value, std::string_view before) override {
    heard.push_back(fmt::format("{} renamed {}", before, value.name()));
  }

 private:
  static std::string_view name(const Value* value) { return value ? value->name() : "-"; }
};

class ListenerTest : public testing::Test {
 protected:
  Node* add(Graph& graph, std::string_view op, std::vector<Value*> inputs, std::vector<Value*> outputs) {
    return graph.append({.op_type = op, .inputs = inputs, .outputs = outputs});
  }

  Model model_;
  Graph& graph_ = model_.graph();
  Value* x_ = graph_.create_value("x");
  Value* a_ = graph_.create_value("a");
  Value* b_ = graph_.create_value("b");
  Node* first_ = add(graph_, "A", {x_}, {a_});
  Node* second_ = add(graph_, "B", {a_, a_}, {b_});
  Recorder recorder_;
  Listening listening_{model_, recorder_};
  using Heard = std::vector<std::string>;
};

TEST_F(ListenerTest, HearsOfNodes) {
  add(graph_, "C", {b_}, {});
  graph_.move_before(*second_, first_);
  graph_.erase(*first_);
  EXPECT_EQ(recorder_.heard, (Heard{"created C", "moved B", "erased A of x"}));
}

TEST_F(ListenerTest, HearsOfOperands) {
  graph_.set_input(*second_, 1, x_);
  graph_.set_input(*second_, 1, x_);  // no change, so nothing is announced
  Value* three[] = {a_, a_, x_};
  graph_.set_inputs(*second_, three);
  graph_.set_inputs(*second_, std::span<Value* const>(three).first(1));
  graph_.replace_operands(a_, x_);
  EXPECT_EQ(recorder_.heard,
            (Heard{"B[1]: a -> x", "B[1]: x -> a", "B[2]: - -> x", "B[1]: a -> -", "B[2]: x -> -", "B[0]: a -> x"}));
}

TEST_F(ListenerTest, HearsOfAttributesOutputsAndTensors) {
  Attribute axis{.name = "axis", .type = AttributeType::kInt, .value = std::int64_t{1}};
  graph_.set_attribute(*first_, &axis);
  graph_.mark_changed(*first_, axis);
  graph_.remove_attribute(*first_, "axis");
  graph_.remove_attribute(*first_, "axis");  // does not exist
  graph_.add_output(b_, nullptr);
  Value* w = graph_.create_value("w");
  Tensor tensor{.name = "w", .type = ElementType::kFloat}, other = tensor;
  graph_.add_initializer(w, &tensor);
  graph_.set_tensor(w, &other);
  graph_.rename(*w, "weight");
  graph_.remove_initializer(w);
  EXPECT_EQ(recorder_.heard, (Heard{"A.axis", "A.axis", "A.axis", "output 0: - -> b", "constant w", "constant w",
                                    "w renamed weight", "not constant weight"}));
}

TEST_F(ListenerTest, HearsOfNodesInsideABodyThatGoes) {
  Graph* body = model_.create_body();
  add(*body, "Inner", {x_}, {});
  Attribute branch{.name = "then_branch", .type = AttributeType::kGraph, .value = body};
  Attribute* attributes[] = {&branch};
  Value* inputs[] = {b_};
  Node* owner = graph_.append({.op_type = "If", .inputs = inputs, .attributes = attributes});
  graph_.erase(*owner);
  EXPECT_EQ(recorder_.heard, (Heard{"created Inner", "created If", "erased If of b", "erased Inner of x"}));
}

TEST_F(ListenerTest, StopsWithItsRegistration) {
  Recorder second;
  {
    const Listening listening(model_, second);
    graph_.set_input(*second_, 0, x_);
  }
  graph_.set_input(*second_, 1, x_);
  EXPECT_EQ(second.heard.size(), 1U);
  EXPECT_EQ(recorder_.heard.size(), 2U);
}

}  // namespace
}  // namespace onnxpress

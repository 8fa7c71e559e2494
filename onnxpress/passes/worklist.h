// Worklist: the nodes that a rewrite may match now. It listens to the graph: a change brings back the node, the readers
// of its results and the producers of its operands; in a body, also the node that contains the body.
#pragma once

#include <deque>
#include <vector>

#include "onnxpress/ir/listener.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

class Worklist : public GraphListener {
 public:
  // Starts with every node of the main graph, its bodies and the functions, in order.
  explicit Worklist(Model& model);

  void add_all(Model& model);  // every node once more
  Node* take();                // null when there is none left
  std::size_t size() const { return nodes_.size(); }
  // After an attempt that changed nothing: removes the entries after the first `size`, so that the node is not tried
  // again forever. Nodes made since then stay in the list if something uses them, and are erased otherwise.
  void forget_since(std::size_t size, std::uint32_t first_new_node);
  std::uint64_t changes() const { return changes_; }
  // Constants that lost a user since the last call, each once; some may have other users.
  std::vector<Value*> take_left_constants();

 private:
  void node_created(Node& node) override;
  void node_erased(Node& node) override;
  void operand_replaced(Node& user, std::size_t index, Value* before) override;
  void output_replaced(Graph& graph, std::size_t index, Value* before) override;
  void attribute_changed(Node& node, std::string_view name) override;
  void initializer_changed(Value& value) override;

  void push(Node* node);
  void push_producer(Value* value);
  void push_users(const Value& value);
  void push_owners(const Graph& graph);  // the nodes that contain it: their results may have changed
  void push_around(Node& node);          // the node, the nodes that contain it and the users of its results
  void lost_user(Value* value, const Node* leaving);  // `leaving`: the node that is about to be erased; may be null

  std::deque<Node*> nodes_;
  std::vector<bool> listed_;  // by node id
  std::vector<Value*> left_;
  std::uint64_t changes_ = 0;
  const Listening listening_;
};

}  // namespace onnxpress::passes

// GraphListener: is told of every change to a model's graphs as it happens. Worklists, facts and logs stay up to date
// this way instead of walking the model again.
#pragma once

#include <cstddef>
#include <string_view>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Every hook does nothing unless overridden. A hook must not change the model, nor add or remove listeners; it records
// what happened and acts later.
class GraphListener {
 public:
  virtual ~GraphListener() = default;

  // The node is in its graph, with operands, outputs and attributes. Nodes inside its bodies were announced before it.
  virtual void node_created(Node&) {}
  // The node is about to be erased: operands, outputs and attributes are still in place. Nodes inside its bodies are
  // announced after it.
  virtual void node_erased(Node&) {}
  // The node moved in the order of its graph.
  virtual void node_moved(Node&) {}
  // Operand `index` of `user` was `before` and is now user.input(index). Either may be null. The index lies past
  // user.input_count() when the slot is gone.
  virtual void operand_replaced(Node& user, std::size_t index, Value* before) { (void)user, (void)index, (void)before; }
  // Output `index` of `graph` was `before` and is now graph.outputs()[index]->value.
  virtual void output_replaced(Graph& graph, std::size_t index, Value* before) {
    (void)graph, (void)index, (void)before;
  }
  // The attribute was added, replaced, changed in place or removed.
  virtual void attribute_changed(Node& node, std::string_view name) { (void)node, (void)name; }
  // An initializer (dense or sparse) was added, replaced, changed in place or removed; or it is no longer an input of
  // the graph, and therefore constant now.
  virtual void initializer_changed(Value&) {}
  // The declared type of the value changed.
  virtual void type_changed(Value&) {}
  virtual void value_renamed(Value& value, std::string_view before) { (void)value, (void)before; }
};

template <typename Call>
void tell_listeners(const Context& context, Call&& call) {
  for (GraphListener* listener : context.listeners) call(*listener);
}

// While this object lives, `listener` is told of changes to the model. Both must outlive it.
class Listening {
 public:
  Listening(const Model& model, GraphListener& listener);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  Context& context_;
  GraphListener& listener_;
};

}  // namespace onnxpress

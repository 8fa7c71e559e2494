// Finds values and nodes by the names that users give.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Every value and node of the main graph and its bodies by name. Names may contain any character, even commas and dots.
class NameIndex {
 public:
  explicit NameIndex(const Model& model);

  // Null when there is none. The main graph takes precedence over bodies.
  Value* find_value(std::string_view name) const;
  Node* find_node(std::string_view name) const;  // a node without a name has that of its first output

  // Throw Error with the nearest name as a hint.
  Value& value(std::string_view name) const;
  Node& node(std::string_view name) const;

  // Takes a list that was split at commas, and joins its parts again where a name contains a comma: "a", "b,c".
  std::vector<Value*> values(const std::vector<std::string>& parts) const;
  std::vector<Node*> nodes(const std::vector<std::string>& parts) const;

  const std::vector<Node*>& all_nodes() const { return order_; }  // outer before inner

 private:
  std::unordered_map<std::string_view, Value*> values_;
  std::unordered_map<std::string_view, Node*> nodes_;
  std::vector<Node*> order_;
};

// The name of a node, or of its first output when it has none.
std::string_view label_of(const Node& node);

// Splits "old=new", where the left side is a name that may contain '=' itself: takes the first split whose left side
// `exists`. Throws Error when there is none; `form` says what was expected.
std::pair<std::string, std::string> split_pair(const std::string& text, std::string_view form,
                                               const std::function<bool(std::string_view)>& exists);

}  // namespace onnxpress

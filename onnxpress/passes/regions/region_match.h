// RegionMatch: the nodes of a model that look like the body of a function: the same ops, connected in the same way.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct RegionMatch {
  std::unordered_map<const Value*, Value*> values;        // of the pattern -> of the model; null: omitted in the model
  std::vector<std::pair<const Node*, Node*>> nodes;       // of the pattern -> of the model
  std::map<std::string_view, const Attribute*> settings;  // attributes of the function -> what they are in the model

  Value* operator[](const Value* value) const {
    const auto found = values.find(value);
    return found == values.end() ? nullptr : found->second;
  }
  Node* last() const;  // in the order of the model
};

// The form of a pattern:
//   inputs         any value; the same input is the same value everywhere
//   Constant       a constant with the same elements, up to rounding; a single number in any shape of one element
//   <a = @name>    the attribute may be anything; replacements refer to it by the same name
//   other nodes    the same op with the same attributes; operands of commutative ops in either order
//   where.OP       a condition, see docs/commands/fuse.md: Constant, Scalar, Rank, Shape, Type, SameShape, Between
class RegionMatcher {
 public:
  // Both must live as long as the matcher. `pattern` is the body of a function.
  RegionMatcher(const Graph& pattern, const analysis::Facts& facts);

  // Matches with `node` as the node that computes the pattern's first output. Other nodes must not read values between
  // the matched nodes, unless those are outputs of the pattern; nodes that read an output must come after all of them.
  std::optional<RegionMatch> match(Node& node);

  // The largest number of nodes that matched in any attempt, and what did not match then.
  std::size_t closest() const { return closest_; }
  const std::string& reason() const { return reason_; }

 private:
  bool match_value(const Value* pattern, Value* value, RegionMatch& match);
  bool match_node(const Node& pattern, Node& node, RegionMatch& match);
  bool match_operands(const Node& pattern, Node& node, bool swapped, RegionMatch& match);
  bool match_attributes(const Node& pattern, const Node& node, RegionMatch& match);
  bool match_rest(RegionMatch& match);
  bool is_condition(const Node& node) const;
  bool holds(const Node& condition, const RegionMatch& match);
  bool is_closed(const RegionMatch& match);
  bool same_constant(const Value& pattern, const Value& value) const;
  bool fail(const RegionMatch& match, std::string why);

  const Graph& pattern_;
  const analysis::Facts& facts_;
  std::size_t closest_ = 0;
  std::string reason_;
};

}  // namespace onnxpress::passes

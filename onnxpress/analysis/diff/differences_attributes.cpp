// Compares attributes: plain values as text, tensors by content, bodies as graphs.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/diff/differences_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/same_value.h"

namespace onnxpress::analysis {

namespace {

// Attribute values as text; long lists are cut.
struct ValueText {
  static constexpr std::size_t kShown = 16;

  std::string operator()(std::monostate) const { return "nothing"; }
  std::string operator()(float value) const { return fmt::format("{}", value); }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(std::string_view value) const { return quote_name(value); }
  std::string operator()(Tensor* tensor) const { return tensor_text(*tensor); }
  std::string operator()(Graph* graph) const { return fmt::format("a graph of {} nodes", graph->nodes().size()); }
  std::string operator()(SparseTensor* sparse) const { return fmt::format("sparse {}", to_string(sparse->dims)); }
  std::string operator()(const Type* type) const { return to_string(type); }
  template <typename T>
  std::string operator()(std::span<T> list) const {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size() && i < kShown; ++i) text += (i > 0 ? "," : "") + (*this)(list[i]);
    if (list.size() > kShown) text += fmt::format(",... {} in all", list.size());
    return text + "]";
  }
};

std::string text_of(const Attribute& attribute) {
  if (attribute.is_reference()) return fmt::format("@{}", quote_name(attribute.ref_name));
  return fmt::format("{} {}", name_of(attribute.type), std::visit(ValueText(), attribute.value));
}

class AttributeComparison {
 public:
  AttributeComparison(const std::string& where, const Node* node, std::vector<Detail>& details, DiffContext& context)
      : where_(where), node_(node), details_(details), context_(context) {}

  void compare(const Attribute& before, const Attribute& after) {
    if (before.doc != after.doc) compare_docs(before.doc, after.doc, where_, place(before.name), context_);
    if (before.ref_name != after.ref_name || before.value.index() != after.value.index()) return add(before, after);
    if (compare_lists<Tensor*>(before, after) || compare_lists<SparseTensor*>(before, after) ||
        compare_lists<Graph*>(before, after)) {
      return;
    }
    if (!same_plain_value(before.value, after.value)) add(before, after);
  }

 private:
  std::string place(std::string_view name) const {
    const std::string attribute = fmt::format("attribute {}", quote_name(name));
    return node_ ? fmt::format("{}, {}", context_.before_places.short_of(*node_), attribute) : attribute;
  }
  void add(const Attribute& before, const Attribute& after) {
    details_.push_back({fmt::format("attribute {}", quote_name(before.name)), text_of(before), text_of(after)});
  }

  // Compares one T or a list of T; false when the attributes hold something else.
  template <typename T>
  bool compare_lists(const Attribute& before, const Attribute& after) {
    if (const auto* one = std::get_if<T>(&before.value)) {
      compare_one(**one, *std::get<T>(after.value), place(before.name));
      return true;
    }
    const auto* list = std::get_if<std::span<T const>>(&before.value);
    if (!list) return false;
    const auto other = std::get<std::span<T const>>(after.value);
    if (list->size() != other.size()) add(before, after);
    for (std::size_t i = 0; i < std::min(list->size(), other.size()); ++i) {
      compare_one(*(*list)[i], *other[i], fmt::format("{}[{}]", place(before.name), i));
    }
    return true;
  }

  void compare_one(const Tensor& before, const Tensor& after, const std::string& what) {
    compare_tensors(before, after, where_, what, {}, context_);
  }
  void compare_one(const Graph& before, const Graph& after, const std::string&) {
    compare_graphs(before, after, context_);
  }
  void compare_one(const SparseTensor& before, const SparseTensor& after, const std::string& what) {
    compare_sparse(before, after, where_, what, {}, context_);
  }

  const std::string& where_;
  const Node* node_;
  std::vector<Detail>& details_;
  DiffContext& context_;
};

std::vector<const Attribute*> by_name(std::span<Attribute* const> attributes) {
  std::vector<const Attribute*> sorted(attributes.begin(), attributes.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
  return sorted;
}

}  // namespace

void compare_attributes(std::span<Attribute* const> before, std::span<Attribute* const> after, const std::string& where,
                        const Node* node, std::vector<Detail>& details, DiffContext& context) {
  const std::vector<const Attribute*> old = by_name(before), now = by_name(after);
  AttributeComparison comparison(where, node, details, context);
  const Node* partner = node ? context.matching.after(*node) : nullptr;
  // An attribute that only one side has is not a difference when the other side's op does the same without it.
  const auto add_one_sided = [&](const Attribute& attribute, const Node* other, const OpResolver& ops,
                                 std::string old_text, std::string new_text) {
    if (other && goes_without(*other, attribute, ops)) return;
    details.push_back(
        {fmt::format("attribute {}", quote_name(attribute.name)), std::move(old_text), std::move(new_text)});
  };
  for (std::size_t i = 0, k = 0; i < old.size() || k < now.size();) {
    if (k == now.size() || (i < old.size() && old[i]->name < now[k]->name)) {
      add_one_sided(*old[i], partner, context.matching.after_ops, text_of(*old[i]), "nothing");
      ++i;
    } else if (i == old.size() || now[k]->name < old[i]->name) {
      add_one_sided(*now[k], node, context.matching.before_ops, "nothing", text_of(*now[k]));
      ++k;
    } else {
      comparison.compare(*old[i++], *now[k++]);
    }
  }
}

}  // namespace onnxpress::analysis

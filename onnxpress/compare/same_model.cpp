// Walks two graphs in step, skips nodes that only compute constants, and collects pairs of constants, which are
// compared at the end on all cores.
#include "onnxpress/compare/same_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/compare/constants.h"
#include "onnxpress/compare/same_content.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/same_value.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::compare {

namespace {

[[noreturn]] void fail(const std::string& what, const Node* node = nullptr) {
  throw NodeDifference{.what = what, .node = node};
}

std::string place_of(const Node& node) {
  // A node without a name is identified by its first result.
  const bool by_result = node.name().empty() && node.output_count() > 0 && node.output(0);
  return fmt::format("node {} ({})", quote_name(by_result ? node.output(0)->name() : node.name()),
                     plain_or_quoted(node.op_type()));
}

class ModelComparison {
 public:
  ModelComparison(const Model& before, const Model& after, const RoundedWeights& rounded)
      : before_(before), after_(after), old_(before), new_(after), rounded_(rounded) {}

  void compare() {
    compare_names(before_.graph(), after_.graph());
    compare_graphs(before_.graph(), after_.graph());
    if (before_.functions.size() != after_.functions.size()) fail("it has another number of functions");
    for (std::size_t i = 0; i < before_.functions.size(); ++i)
      compare_graphs(*before_.functions[i]->body, *after_.functions[i]->body);
    compare_constants();
  }

  // Compares a single node; match() says which operands correspond to each other.
  void compare_only(const Node& a, const Node& b) {
    seen_.clear();
    pairs_.clear();
    compare_nodes(a, b);
    const Function *old = old_.ops().function_of(a), *now = new_.ops().function_of(b);
    if (old && now) compare_graphs(*old->body, *now->body);
    compare_constants();
  }
  void match(const Value& a, const Value& b) { matched_[&a] = &b; }
  void match(MatchedValues matched) { matched_ = std::move(matched); }

 private:
  // Callers refer to inputs and outputs of the main graph by name.
  static void compare_names(const Graph& a, const Graph& b) {
    const auto same_name = [](const ValueInfo* x, const ValueInfo* y) { return x->value->name() == y->value->name(); };
    if (!std::ranges::equal(a.inputs(), b.inputs(), same_name) ||
        !std::ranges::equal(a.outputs(), b.outputs(), same_name))
      fail("its inputs or outputs have other names");
  }

  void compare_graphs(const Graph& a, const Graph& b) {
    if (a.inputs().size() != b.inputs().size() || a.outputs().size() != b.outputs().size())
      fail("a graph has another number of inputs or outputs");
    for (std::size_t i = 0; i < a.inputs().size(); ++i) compare_inputs(*a.inputs()[i], *b.inputs()[i]);
    const Node *left = next_real(a.nodes().front(), old_), *right = next_real(b.nodes().front(), new_);
    for (; left && right; left = next_real(left->next(), old_), right = next_real(right->next(), new_))
      compare_nodes(*left, *right);
    if (left || right) fail("a graph has another number of nodes");
    for (std::size_t i = 0; i < a.outputs().size(); ++i)
      compare_values(*a.outputs()[i]->value, *b.outputs()[i]->value, nullptr);
  }

  static const Node* next_real(const Node* node, const Constants& constants) {
    while (node && constants.is_constant_node(*node)) node = node->next();
    return node;
  }

  // Compares the types of inputs, and the defaults of those that callers may leave out.
  void compare_inputs(const ValueInfo& a, const ValueInfo& b) {
    if (!same_type(a.type, b.type)) fail(fmt::format("input {} has another type", quote_name(a.value->name())));
    matched_[a.value] = b.value;
    const Tensor *x = a.value->initializer(), *y = b.value->initializer();
    if (!x != !y || (x && !same_tensor(*x, before_.files, *y, after_.files)))
      fail(fmt::format("input {} has another default", quote_name(a.value->name())));
  }

  void compare_nodes(const Node& a, const Node& b) {
    if (a.op_type() != b.op_type() || a.domain() != b.domain() || a.overload() != b.overload() ||
        a.output_count() != b.output_count())
      fail(place_of(a) + " is in the place of another node", &a);
    compare_operands(a, b);
    if (!same_attributes(a, b)) fail(place_of(a) + " has other attributes", &a);
    for (std::size_t i = 0; i < a.output_count(); ++i) {
      if (!a.output(i) != !b.output(i)) fail(place_of(a) + " has other results", &a);
      if (a.output(i)) matched_[a.output(i)] = b.output(i);
    }
  }

  void compare_operands(const Node& a, const Node& b) {
    if (a.input_count() != b.input_count()) fail(place_of(a) + " has another number of operands", &a);
    for (std::size_t i = 0; i < a.input_count(); ++i) {
      if (!a.input(i) != !b.input(i)) fail(place_of(a) + " has other operands", &a);
      if (a.input(i)) compare_values(*a.input(i), *b.input(i), &a);
    }
  }

  // The attributes that do not have their default value.
  static std::vector<const Attribute*> meaningful(const Node& node, const Constants& constants) {
    const ops::Op* op = constants.ops().function_of(node) ? nullptr : constants.ops().op_of(node);
    std::vector<const Attribute*> found;
    for (const Attribute* each : node.attributes()) {
      if (!op || !ops::is_default(*op->schema, *each)) found.push_back(each);
    }
    std::ranges::stable_sort(found, {}, &Attribute::name);
    return found;
  }

  bool same_attributes(const Node& a, const Node& b) {
    const auto old = meaningful(a, old_), now = meaningful(b, new_);
    return std::ranges::equal(old, now, [this](const Attribute* x, const Attribute* y) {
      return x->name == y->name && x->ref_name == y->ref_name && same_attribute(*x, *y);
    });
  }

  bool same_attribute(const Attribute& a, const Attribute& b) {
    if (a.value.index() != b.value.index()) return false;
    if (auto* const* tensor = std::get_if<Tensor*>(&a.value)) return same_parts(std::span(tensor, 1), one<Tensor*>(b));
    if (auto* const* body = std::get_if<Graph*>(&a.value)) return same_parts(std::span(body, 1), one<Graph*>(b));
    if (auto* const* sparse = std::get_if<SparseTensor*>(&a.value))
      return same_parts(std::span(sparse, 1), one<SparseTensor*>(b));
    if (const auto* list = std::get_if<std::span<Tensor* const>>(&a.value)) return same_parts(*list, many<Tensor*>(b));
    if (const auto* list = std::get_if<std::span<Graph* const>>(&a.value)) return same_parts(*list, many<Graph*>(b));
    if (const auto* list = std::get_if<std::span<SparseTensor* const>>(&a.value))
      return same_parts(*list, many<SparseTensor*>(b));
    return same_plain_value(a.value, b.value);
  }
  template <typename T>
  static std::span<T const> one(const Attribute& attribute) {
    return std::span(&std::get<T>(attribute.value), 1);
  }
  template <typename T>
  static std::span<T const> many(const Attribute& attribute) {
    return std::get<std::span<T const>>(attribute.value);
  }
  template <typename T>
  bool same_parts(std::span<T const> a, std::span<T const> b) {
    return std::ranges::equal(a, b, [this](const auto* x, const auto* y) { return this->same_part(*x, *y); });
  }
  bool same_part(const Tensor& a, const Tensor& b) const { return same_tensor(a, before_.files, b, after_.files); }
  bool same_part(const SparseTensor& a, const SparseTensor& b) const { return same_sparse_tensor(a, b); }
  bool same_part(const Graph& a, const Graph& b) {
    compare_graphs(a, b);
    return true;
  }

  // `reader` is null for an output of a graph.
  void compare_values(const Value& a, const Value& b, const Node* reader) {
    const auto wrong = [&] {
      fail(fmt::format("{} {} instead of {}", reader ? place_of(*reader) + " reads" : "an output is",
                       quote_name(b.name()), quote_name(a.name())),
           reader);
    };
    if (const auto found = matched_.find(&a); found != matched_.end()) {
      if (found->second != &b) wrong();
      return;
    }
    if (old_.contains(a) || new_.contains(b)) {
      if (!old_.contains(a) || !new_.contains(b)) wrong();
      return add_constants(a, b, reader);
    }
    const SparseTensor *x = a.sparse_initializer(), *y = b.sparse_initializer();
    if (x && y ? !same_sparse_tensor(*x, *y) : a.is_defined() || b.is_defined() || a.name() != b.name()) wrong();
  }

  // Where the same nodes compute both constants, their operands are compared instead, so that nothing is computed.
  void add_constants(const Value& a, const Value& b, const Node* reader) {
    std::vector<std::pair<const Value*, const Value*>> open = {{&a, &b}};
    while (!open.empty()) {
      const auto [x, y] = open.back();
      open.pop_back();
      if (!seen_.emplace(x, y).second) continue;
      const Node *left = old_.link_of(*x), *right = new_.link_of(*y);
      if (!left && !right && !constant_tensor(*x) &&
          !constant_tensor(*y)) {  // Constants without a value, in damaged files
        left = x->producer();
        right = y->producer();
      }
      const bool alike = left && right && left->op_type() == right->op_type() &&
                         left->input_count() == right->input_count() && same_attributes(*left, *right);
      if (!alike) {
        pairs_.push_back({x, y, reader});
        continue;
      }
      for (std::size_t i = 0; i < left->input_count(); ++i) {
        if (!left->input(i) != !right->input(i)) fail(place_of(*left) + " has other operands");
        if (left->input(i)) open.emplace_back(left->input(i), right->input(i));
      }
    }
  }

  void compare_constants() {
    for (const ConstantPair& each : pairs_) {
      if (rounded_.contains(each.before->name())) rounded_as_[each.after] = each.before;
    }
    std::vector<char> differs(pairs_.size(), 0);
    parallel_for(pairs_.size(),
                 [&](std::size_t i) { differs[i] = same_constant(*pairs_[i].before, *pairs_[i].after) ? 0 : 1; });
    const auto found = std::ranges::find(differs, 1);
    if (found == differs.end()) return;
    const ConstantPair& pair = pairs_[static_cast<std::size_t>(found - differs.begin())];
    fail(fmt::format("the values of {} differ", quote_name(pair.before->name())), pair.reader);
  }

  bool same_constant(const Value& a, const Value& b) {
    const Tensor* x = old_.link_of(a) ? nullptr : constant_tensor(a);
    const Tensor* y = new_.link_of(b) ? nullptr : constant_tensor(b);
    const auto as = rounded_as_.find(&b);
    const Value* rounded = as == rounded_as_.end() ? nullptr : as->second;
    // Equal weights are merged before they are rounded, under the name of one of them.
    if (rounded && rounded != &a) {
      const Tensor* other = constant_tensor(*rounded);
      return x && other && same_tensor(*x, before_.files, *other, before_.files);
    }
    if (x && y && !rounded) return same_tensor(*x, before_.files, *y, after_.files);
    // Computing needs memory, so large constants are computed one at a time.
    constexpr std::uint64_t kLarge = std::uint64_t{16} << 20;
    std::unique_lock lock(one_large_, std::defer_lock);
    if ((x && x->expected_bytes().value_or(0) > kLarge) || (y && y->expected_bytes().value_or(0) > kLarge)) lock.lock();
    try {
      return rounded ? same_rounded(a, x, b, rounded_.at(a.name())) : same_computed(a, x, b, y);
    } catch (const Error&) {
      return false;
    }
  }

  bool same_computed(const Value& a, const Tensor* x, const Value& b, const Tensor* y) const {
    const auto left = x ? std::nullopt : old_.evaluate(a), right = y ? std::nullopt : new_.evaluate(b);
    if (x && right) return same_tensor(*right, *x, before_.files);
    if (y && left) return same_tensor(*left, *y, after_.files);
    return left && right && same_array(*left, *right);
  }

  bool same_rounded(const Value& a, const Tensor* x, const Value& b, double error) const {
    const auto left = old_.evaluate(a), right = new_.evaluate(b);
    const bool same = left && right && is_within(*left, *right, error);
    if (x && std::holds_alternative<Bytes>(x->content)) release_pages(before_.files, *x, x->bytes().view());
    return same;
  }

  const Model &before_, &after_;
  Constants old_, new_;
  const RoundedWeights& rounded_;
  MatchedValues matched_;  // values that are computed at run time
  std::set<std::pair<const Value*, const Value*>> seen_;
  struct ConstantPair {
    const Value *before, *after;
    const Node* reader;  // null: an output of a graph
  };
  std::vector<ConstantPair> pairs_;  // to be compared
  // From a constant of the result to the constant of the original that was rounded.
  std::unordered_map<const Value*, const Value*> rounded_as_;
  std::mutex one_large_;
};

}  // namespace

std::optional<NodeDifference> find_model_difference(const Model& before, const Model& after,
                                                    const RoundedWeights& rounded) {
  try {
    ModelComparison(before, after, rounded).compare();
    return std::nullopt;
  } catch (const NodeDifference& different) {
    return different;
  }
}

class NodeComparer::Impl {
 public:
  Impl(const Model& before, const Model& after) : comparison(before, after, none) {}
  const RoundedWeights none;
  ModelComparison comparison;
};

NodeComparer::NodeComparer(const Model& before, const Model& after, MatchedValues matched)
    : impl_(std::make_unique<Impl>(before, after)) {
  impl_->comparison.match(std::move(matched));
}
NodeComparer::~NodeComparer() = default;

void NodeComparer::match(const Value& before, const Value& after) { impl_->comparison.match(before, after); }

std::optional<NodeDifference> NodeComparer::compare(const Node& before, const Node& after) {
  try {
    impl_->comparison.compare_only(before, after);
    return std::nullopt;
  } catch (const NodeDifference& different) {
    return different;
  }
}

void require_same_model(const Model& before, const Model& after, const RoundedWeights& rounded) {
  const auto different = find_model_difference(before, after, rounded);
  if (!different) return;
  throw Error("", fmt::format("the result is not the same model: {}", different->what),
              "this is a bug in onnxpress, so nothing was written; please report it");
}

}  // namespace onnxpress::compare

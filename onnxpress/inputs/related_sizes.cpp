// Looks for related sizes in names, then in the graph.
#include "onnxpress/inputs/related_sizes.h"

#include <algorithm>
#include <set>
#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/inputs/sizes.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/shape_expression.h"

namespace onnxpress::inputs {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class RelatedSizes {
 public:
  RelatedSizes(const Model& model, const analysis::Facts& facts)
      : model_(model), facts_(facts), dims_(facts.dims()), symbols_(open_symbols(model, facts)) {}

  SizeRules find() {
    if (symbols_.size() < 2) return {};
    // Those that follow by facts need no guess, and others may not follow from them in turn.
    for (const auto& [symbol, rule] : open_dims(model_, facts_, 1, 1).follows) std::erase(symbols_, symbol);
    for (const Symbol* symbol : symbols_) relate(symbol, named_expression(symbol->name));
    for_each_node(model_, [this](const Node& node) { look_at(node); });
    look_at_masks();
    return std::move(found_);
  }

 private:
  // Adds "symbol = dim" unless one of these symbols already has a rule, or the dim depends on the symbol itself, or on
  // what is not known before a run. So rules are not chained, and none leads back to where it began.
  void relate(const Symbol* symbol, Dim dim) {
    dim = dims_.resolve(dim);
    if (dim.is_unknown() || uses_.contains(symbol)) return;
    std::set<const Symbol*> used{symbol};
    bool fits = true;
    dims_.value_of(dim, [&](const Symbol& each) {
      fits &= is_open(&each) && !found_.contains(&each) && used.insert(&each).second;
      return std::optional<std::int64_t>(1);
    });
    if (!fits) return;
    found_.emplace(symbol, SizeRule{dim});
    uses_.merge(used);
  }

  bool is_open(const Symbol* symbol) const { return std::ranges::find(symbols_, symbol) != symbols_.end(); }

  // "past_sequence_length + 1", if all names in it are those of open dims.
  Dim named_expression(std::string_view name) const {
    try {
      const ops::ShapeExpression parsed = ops::ShapeExpression::take(name);
      if (!ops::without_blanks(name).empty() || !parsed.name().empty()) return {};
      return parsed.value(dims_, [this](const std::string& part) {
        const auto symbol = std::ranges::find(symbols_, part, &Symbol::name);
        return symbol == symbols_.end() ? Dim() : Dim::symbol(*symbol);
      });
    } catch (const Error&) {
      return {};
    }
  }

  // Operands that are broadcast together: a dim of one is the dim of the other, unless it is 1.
  void look_at(const Node& node) {
    const ops::Op* op = facts_.ops().op_of(node);
    if (!op || !op->has(ops::kElementwise) || node.input_count() < 2) return;
    for (const Use& first : node.inputs()) {
      for (const Use& second : node.inputs()) {
        if (&first != &second && first.value() && second.value()) compare(*first.value(), *second.value());
      }
    }
  }

  void compare(const Value& one, const Value& other) {
    const auto a = facts_.shape_of(one), b = facts_.shape_of(other);
    if (!a || !b) return;
    for (std::size_t i = 1; i <= std::min(a->size(), b->size()); ++i) {
      const Dim left = (*a)[a->size() - i], right = (*b)[b->size() - i];
      const bool is_expression = right.is_symbol() && !dims_.is_plain(right);
      if (is_expression && dims_.is_plain(left) && is_open(left.symbol())) relate(left.symbol(), right);
    }
  }

  // The first open dim, after the batch, of inputs with a name that contains `part`.
  std::optional<Dim> length_of(std::string_view part) const {
    for (const ValueInfo* info : inputs_to_give(model_)) {
      const Value& input = *info->value;
      const auto shape = open_shape(input, facts_);
      if (!shape || !contains(input.name(), part) || contains(input.name(), "encoder")) continue;
      for (std::size_t axis = 1; axis < shape->size(); ++axis) {
        const Dim dim = (*shape)[axis];
        if (dim.symbol() && is_open(dim.symbol()) && !contains(dim.symbol()->name, "encoder")) return dim;
      }
    }
    return std::nullopt;
  }

  // The mask of a decoder covers the tokens in the cache and the new ones.
  void look_at_masks() {
    const auto mask = length_of("attention_mask"), past = length_of("past");
    if (!mask || !past || *mask == *past) return;
    for (const ValueInfo* info : inputs_to_give(model_)) {
      const auto shape = open_shape(*info->value, facts_);
      if (info->value->name() != "input_ids" && info->value->name() != "inputs_embeds") continue;
      if (shape && shape->size() > 1 && (*shape)[1] != *mask) relate(mask->symbol(), dims_.add(*past, (*shape)[1]));
    }
  }

  const Model& model_;
  const analysis::Facts& facts_;
  ops::DimMath& dims_;
  std::vector<const Symbol*> symbols_;
  SizeRules found_;
  std::set<const Symbol*> uses_;  // all symbols in these rules
};

}  // namespace

SizeRules related_sizes(const Model& model, const analysis::Facts& facts) { return RelatedSizes(model, facts).find(); }

}  // namespace onnxpress::inputs

// Guesses sizes by the position of a symbol and by its name.
#include "onnxpress/tasks/profile/assumed_sizes.h"

#include <algorithm>
#include <span>
#include <string>

#include "onnxpress/ir/walk.h"

namespace onnxpress {

namespace {

constexpr std::int64_t kAnySize = 128, kImageSize = 224, kSecondOfSound = 16'000, kPieceOfSound = 512;

// What is known about the input that has a symbol as a dim.
struct Place {
  std::size_t rank = 0;
  bool is_float = false, is_state = false;
  bool in_pieces = false;  // another input is a state, so the model processes sound piece by piece
};

// [layers and directions, batch, width] of a recurrent network: several layers, and only the batch is open.
bool is_state(std::span<const Dim> shape) {
  constexpr std::int64_t kMostLayers = 16;
  return shape.size() == 3 && shape[0].is_size() && shape[0].size() > 1 && shape[0].size() <= kMostLayers &&
         shape[1].is_symbol() && shape[2].is_size();
}

std::int64_t size_by_place(std::string_view name, std::size_t axis, const Place& place) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("batch") != std::string::npos) return 1;
  if (lower.find("past") != std::string::npos) return lower.find('+') == std::string::npos ? 0 : kAnySize;
  if ((axis == 0 && place.rank > 1) || place.is_state) return 1;
  const auto counts = [&lower](std::string_view what) { return lower.find(what) != std::string::npos; };
  if (counts("seq") || counts("len") || counts("token") || counts("total")) return kAnySize;  // masks have 4 dims, too
  if (place.rank == 4 && axis >= 2) return kImageSize;
  if (place.rank == 2 && place.is_float) return place.in_pieces ? kPieceOfSound : kSecondOfSound;
  return kAnySize;
}

}  // namespace

void AssumedSizes::assume(const Symbol* symbol, std::int64_t size) {
  if (!open_.contains(symbol) && facts_.dims().is_plain(Dim::symbol(symbol)) && by_symbol_.emplace(symbol, size).second)
    sizes_.emplace_back(symbol, size);
}

void AssumedSizes::add_inputs(const Model& model) {
  bool has_state = false;
  for (const ValueInfo* input : model.graph().inputs()) {
    const auto shape = facts_.shape_of(*input->value);
    has_state |= shape && is_state(*shape);
  }
  for (const ValueInfo* input : model.graph().inputs()) {
    const auto shape = facts_.shape_of(*input->value);
    if (!shape) continue;
    const Place place{shape->size(), is_float(facts_.of(*input->value).element), is_state(*shape), has_state};
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const Dim dim = (*shape)[axis];
      if (dim.is_symbol() && facts_.dims().is_plain(dim))
        assume(dim.symbol(), size_by_place(dim.symbol()->name, axis, place));
    }
  }
}

void AssumedSizes::add_model(const Model& model) {
  add_inputs(model);
  for_each_node(model, [this](const Node& node) { add_results(node); });
}

void AssumedSizes::add_results(const Node& node) {
  const bool is_opaque = opaque_.add(node);
  if (node.is("If") && !is_opaque) add_branches(node);
  for (const Value* output : node.outputs()) {
    if (output) is_opaque ? keep_open(facts_.of(*output)) : add(facts_.of(*output));
  }
}

void AssumedSizes::keep_open(const ops::Fact& fact) {
  if (!fact.is_tensor() || !fact.shape) return;
  for (const Dim each : *fact.shape) {
    const Dim dim = facts_.dims().resolve(each);
    if (!dim.is_symbol() || !seen_.insert(dim.symbol()).second) continue;
    facts_.dims().value_of(dim, [this](const Symbol& symbol) {
      if (!by_symbol_.contains(&symbol)) open_.insert(&symbol);
      return std::optional<std::int64_t>(1);  // any size, so that the other symbols are visited, too
    });
  }
}

// Where the branches of an If differ in size, its result has its own symbol, which gets the larger of the two sizes.
void AssumedSizes::add_branches(const Node& node) {
  for (Attribute* attribute : node.attributes()) {
    for_each_graph_in(*attribute, [&](Graph& body) {
      const auto& made = body.outputs();
      for (std::size_t i = 0; i < node.output_count() && i < made.size(); ++i) {
        if (node.output(i) && made[i]->value) take_larger(*node.output(i), *made[i]->value);
      }
    });
  }
}

void AssumedSizes::take_larger(const Value& result, const Value& in_branch) {
  const auto shape = facts_.shape_of(result), found = facts_.shape_of(in_branch);
  if (!shape || !found || shape->size() != found->size()) return;
  for (std::size_t axis = 0; axis < shape->size(); ++axis) {
    const Dim dim = (*shape)[axis];
    if (!facts_.dims().is_plain(dim) || facts_.dims().is_named(dim)) continue;
    add((*found)[axis]);
    const auto size = facts_.dims().value_of((*found)[axis], [this](const Symbol& symbol) { return of(symbol); });
    if (!size || *size < 0) continue;
    std::int64_t& known = by_symbol_.try_emplace(dim.symbol(), *size).first->second;
    known = std::max(known, *size);
  }
}

void AssumedSizes::add(Dim dim) {
  dim = facts_.dims().resolve(dim);
  if (!dim.is_symbol() || !seen_.insert(dim.symbol()).second) return;
  // Evaluating the dim calls this for each plain symbol in it.
  facts_.dims().value_of(dim, [this](const Symbol& symbol) {
    assume(&symbol, kAnySize);
    return of(symbol);
  });
}

void AssumedSizes::add(const ops::Fact& fact) {
  if (!fact.is_tensor() || !fact.shape) return;
  const bool is_image = fact.shape->size() == 4 && is_float(fact.element);
  for (std::size_t axis = 0; axis < fact.shape->size(); ++axis) {
    const Dim dim = facts_.dims().resolve((*fact.shape)[axis]);
    // Such symbols come from an input without a shape: guess as for the input itself.
    if (is_image && facts_.dims().is_plain(dim) && axis != 1) assume(dim.symbol(), axis == 0 ? 1 : kImageSize);
    if (dim.is_symbol()) add(dim);
  }
}

std::optional<std::int64_t> AssumedSizes::of(const Symbol& symbol) const {
  const auto found = by_symbol_.find(&symbol);
  return found == by_symbol_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace onnxpress

// Guessing sizes by where a symbol stands, and by its name.
#include "onnxpress/tasks/profile/assumed_sizes.h"

#include <algorithm>
#include <string>

#include "onnxpress/ir/walk.h"

namespace onnxpress::tasks {

namespace {

constexpr std::int64_t kAnySize = 128, kImageSize = 224, kSecondOfSound = 16'000;

std::int64_t size_by_place(std::string_view name, std::size_t axis, std::size_t rank, bool is_float) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("batch") != std::string::npos) return 1;
  if (lower.find("past") != std::string::npos) return lower.find('+') == std::string::npos ? 0 : kAnySize;
  if (axis == 0 && rank > 1) return 1;
  if (rank == 4 && axis >= 2) return kImageSize;
  if (rank == 2 && is_float) return kSecondOfSound;
  return kAnySize;
}

}  // namespace

void AssumedSizes::assume(const Symbol* symbol, std::int64_t size) {
  if (facts_.dims().is_plain(Dim::symbol(symbol)) && by_symbol_.emplace(symbol, size).second)
    sizes_.emplace_back(symbol, size);
}

void AssumedSizes::add_inputs(const Model& model) {
  for (const ValueInfo* input : model.graph().inputs()) {
    const auto shape = facts_.shape_of(*input->value);
    if (!shape) continue;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const Dim dim = (*shape)[axis];
      if (dim.is_symbol() && facts_.dims().is_plain(dim))
        assume(dim.symbol(),
               size_by_place(dim.symbol()->name, axis, shape->size(), is_float(facts_.of(*input->value).element)));
    }
  }
}

void AssumedSizes::add_model(const Model& model) {
  add_inputs(model);
  for_each_node(model, [this](const Node& node) {
    for (const Value* output : node.outputs()) {
      if (output) add(facts_.of(*output));
    }
  });
}

void AssumedSizes::add(Dim dim) {
  dim = facts_.dims().resolve(dim);
  if (!dim.is_symbol() || !seen_.insert(dim.symbol()).second) return;
  // Evaluating it asks for each plain symbol that it is made of.
  facts_.dims().value_of(dim, [this](const Symbol& symbol) {
    assume(&symbol, kAnySize);
    return of(symbol);
  });
}

void AssumedSizes::add(const ops::Fact& fact) {
  if (!fact.is_tensor() || !fact.shape) return;
  for (const Dim dim : *fact.shape) {
    if (dim.is_symbol()) add(dim);
  }
}

std::optional<std::int64_t> AssumedSizes::of(const Symbol& symbol) const {
  const auto found = by_symbol_.find(&symbol);
  return found == by_symbol_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace onnxpress::tasks

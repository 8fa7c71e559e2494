// Making models and their parts.
#include "onnxpress/ir/model.h"

#include <algorithm>

namespace onnxpress {

const Symbol* Context::symbol(std::string_view name) {
  NameTable::Id id = symbol_names_.find(name);
  if (id == NameTable::kNone) {
    const std::string_view kept = arena.text(name);
    symbol_names_.intern(kept);
    symbols_.push_back(arena.make<Symbol>(Symbol{kept, symbol_count++}));
    return symbols_.back();
  }
  return symbols_[id];
}

const Symbol* Context::create_expression(std::string_view text) {
  return arena.make<Symbol>(Symbol{arena.text(text), symbol_count++});
}

Model::Model() : context_(std::make_shared<Context>()), changed_(std::make_unique<bool>(true)), graph_(create_body()) {
  graph_->set_changed_flag(changed_.get());
}

Function* Model::create_function() {
  auto* function = arena().make<Function>();
  function->body = create_body();
  function->body->set_changed_flag(&function->changed);
  functions.push_back(function);
  mark_changed();
  return function;
}

TrainingInfo* Model::create_training() {
  training.push_back(arena().make<TrainingInfo>());
  mark_changed();
  return training.back();
}

bool Model::changed() const {
  return *changed_ ||
         std::any_of(functions.begin(), functions.end(), [](const Function* each) { return each->changed; }) ||
         std::any_of(training.begin(), training.end(), [](const TrainingInfo* each) { return each->changed; });
}

Graph* Model::create_body() { return arena().make<Graph>(*context_); }

std::optional<std::int64_t> opset_in(std::span<const OpsetImport> imports, std::string_view domain) {
  for (const OpsetImport& import : imports) {
    if (normal_domain(import.domain) == normal_domain(domain)) return import.version;
  }
  return std::nullopt;
}

}  // namespace onnxpress

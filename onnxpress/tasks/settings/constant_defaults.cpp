// Removes initializers from the list of inputs, in a copy of the model.
#include "onnxpress/tasks/settings/constant_defaults.h"

#include <algorithm>
#include <vector>

namespace onnxpress {

namespace {

// Does a binding such as "x=1x3" set this input? Names may be in quotes.
bool is_about(std::string_view binding, std::string_view name) {
  const bool quoted = binding.starts_with('"') || binding.starts_with('\'');
  if (quoted) binding.remove_prefix(1);
  if (!binding.starts_with(name)) return false;
  binding.remove_prefix(name.size());
  if (quoted && !binding.empty()) binding.remove_prefix(1);
  return binding.starts_with('=');
}

bool is_given(const BindingOptions& bindings, std::string_view name) {
  const auto about = [&](const std::string& text) { return is_about(text, name); };
  return std::ranges::any_of(bindings.shape, about) || std::ranges::any_of(bindings.value, about);
}

std::vector<Value*> constant_inputs(const Model& model, const BindingOptions& bindings) {
  std::vector<Value*> found;
  for (const ValueInfo* input : model.graph().inputs()) {
    const bool has_default = input->value->initializer() || input->value->sparse_initializer();
    if (has_default && !is_given(bindings, input->value->name())) found.push_back(input->value);
  }
  return found;
}

}  // namespace

std::optional<Model> with_constant_defaults(const Model& model, const BindingOptions& bindings) {
  if (constant_inputs(model, bindings).empty()) return std::nullopt;
  Model copy = model.clone();
  copy.graph().remove_inputs(constant_inputs(copy, bindings));
  return copy;
}

}  // namespace onnxpress

// Reads each option, makes the change, and checks the result as a whole.
#include "onnxpress/tasks/report/field_lists/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/tasks/edit/find_names.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/parts/extract.h"
#include "onnxpress/tasks/parts/make_part.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

namespace {

class Edits {
 public:
  Edits(Model& model, const EditOptions& options) : model_(model), options_(options), names_(model), editor_(model) {}

  std::vector<std::string> make() {
    for (Node* node : names_.nodes(options_.remove_node)) remove(*node);
    for (const std::string& text : options_.set_attribute) set_attribute(text);
    for (const std::string& text : options_.set_shape) set_shape(text);
    for (const std::string& text : options_.set_type) set_type(text);
    for (Value* value : names_.values(options_.add_output)) {
      editor_.add_output(*value);
      say("{} is an output: {}", quote_name(value->name()), to_string(editor_.type_of(*value)));
    }
    for (Value* value : names_.values(options_.remove_input)) {
      editor_.remove_input(*value);
      say("{} is no longer an input", quote_name(value->name()));
    }
    editor_.tidy();
    set_texts();
    return std::move(changes_);
  }

  std::vector<std::string> rename() {
    for (const std::string& text : options_.rename) rename(text);
    editor_.tidy();
    return std::move(changes_);
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> form, Args&&... args) {
    changes_.push_back(fmt::format(form, std::forward<Args>(args)...));
  }

  bool is_value(std::string_view name) const { return names_.find_value(name) != nullptr; }

  Value& value_named(const std::string& name) const {
    for (const std::string& text : options_.rename) {
      if (!is_value(name) && text.ends_with("=" + name))
        throw Error(
            "", fmt::format("there is no value {}", quote_name(name)),
            fmt::format("renames are applied last: use {}", quote_name(text.substr(0, text.size() - name.size() - 1))));
    }
    return names_.value(name);
  }

  void remove(Node& node) {
    const std::string label = analysis::node_label(node);
    editor_.bypass(node);
    say("node {} was removed", label);
  }

  // Node names contain dots, and so may the text after '=': the first split that names a node counts.
  void set_attribute(const std::string& text) {
    for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
      const std::size_t equals = text.find('=', dot);
      Node* node = names_.find_node(std::string_view(text).substr(0, dot));
      if (!node || equals == std::string::npos) continue;
      const std::string name = text.substr(dot + 1, equals - dot - 1);
      if (name.find('.') != std::string::npos) continue;
      editor_.set_attribute_text(*node, name, std::string_view(text).substr(equals + 1));
      say("node {}: {} = {}", analysis::node_label(*node), name, text.substr(equals + 1));
      return;
    }
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos || text.find('=', dot) == std::string::npos)
      throw OptionError(fmt::format("{} does not have the form node.attribute=value", quote_name(text)));
    names_.node(text.substr(0, std::min(text.rfind('.', text.find('=', dot)), text.size())));  // throws
  }

  void set_shape(const std::string& text) {
    const auto [name, shape] =
        split_pair(text, "x=N,3,224,224", [this](std::string_view each) { return is_value(each); });
    Value& value = value_named(name);
    BindingOptions binding;
    binding.shape = {"x=" + shape};
    editor_.set_shape(value, settings_of(binding, model_).shapes.front().second);
    say("{} has type {}", quote_name(name), to_string(value.type()));
  }

  void set_type(const std::string& text) {
    const auto [name, type] = split_pair(text, "x=float16", [this](std::string_view each) { return is_value(each); });
    editor_.set_type(value_named(name), element_type_in(type));
    say("{} has elements of type {}", quote_name(name), type);
  }

  void rename(const std::string& text) {
    const auto [name, wanted] =
        split_pair(text, "old=new", [this](std::string_view each) { return is_value(each) || names_.find_node(each); });
    Value* value = names_.find_value(name);
    Node* node = names_.find_node(name);
    if (!value && !node) names_.value(name);  // throws
    if (value) editor_.rename(*value, wanted);
    if (node && node->name() == name) editor_.rename(*node, wanted);
    say("{} was renamed to {}", quote_name(name), quote_name(wanted));
  }

  void set_texts() {
    Arena& arena = model_.arena();
    for (const std::string& text : options_.set_metadata) {
      const auto [key, value] = split_pair(text, "key=value", [](std::string_view) { return true; });
      const auto found = std::ranges::find(model_.metadata, std::string_view(key), &MetadataEntry::key);
      const MetadataEntry entry{arena.text(key), arena.text(value)};
      if (found != model_.metadata.end()) {
        *found = entry;
      } else {
        model_.metadata.push_back(entry);
      }
      model_.mark_changed();
      say("metadata {} = {}", quote_name(key), quote_name(value));
    }
    if (!options_.doc) return;
    model_.doc = arena.text(*options_.doc);
    model_.mark_changed();
    say("the documentation of the model was changed");
  }

  Model& model_;
  const EditOptions& options_;
  NameIndex names_;
  Editor editor_;
  std::vector<std::string> changes_;
};

// Also removes what the remaining outputs do not need, except for the inputs of the model.
void remove_outputs(Model& model, const Names& outputs, std::vector<std::string>& changes) {
  const NameIndex names(model);
  std::unordered_set<const Value*> gone;
  for (const Value* value : names.values(outputs)) {
    const bool is_output =
        std::ranges::any_of(model.graph().outputs(), [&](const ValueInfo* each) { return each->value == value; });
    if (!is_output) throw Error("", fmt::format("{} is not an output", quote_name(value->name())));
    gone.insert(value);
    changes.push_back(fmt::format("{} is no longer an output", quote_name(value->name())));
  }
  ExtractOptions kept;
  for (const ValueInfo* output : model.graph().outputs()) {
    if (!gone.contains(output->value)) kept.outputs.emplace_back(output->value->name());
  }
  if (kept.outputs.empty()) throw Error("", "a model needs an output", "add another one at the same time");
  for (const ValueInfo* input : model.graph().inputs()) {
    if (!input->value->initializer()) kept.inputs.emplace_back(input->value->name());
  }
  model = extract(model, kept).model;
}

}  // namespace

EditReport edit(Model& model, const EditOptions& options) {
  require_clear_names(model);
  RestoreOnFailure restore(model);
  EditReport report;
  const bool valid = is_valid(model);
  // Names change last: all other options use those of the file.
  for (std::string& each : Edits(model, options).make()) report.changes.push_back(std::move(each));
  if (!options.remove_output.empty()) remove_outputs(model, options.remove_output, report.changes);
  for (std::string& each : Edits(model, options).rename()) report.changes.push_back(std::move(each));
  require_valid(model, valid, "the result");
  restore.keep();
  return report;
}

std::string to_json(const EditReport& report) { return json_text(report); }

}  // namespace onnxpress

// Finds tensors by name; tensor_files.h reads and writes the files.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/edit/as_inputs.h"
#include "onnxpress/tasks/edit/find_names.h"
#include "onnxpress/tasks/edit/tensor_files.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/parts/make_part.h"
#include "onnxpress/tasks/report/field_lists/edit.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"

namespace onnxpress {

namespace {

const Tensor* tensor_of(const Value& value) {
  return value.initializer() ? value.initializer() : constant_tensor(value);
}

// Values that have a tensor, by name; outer graphs take precedence over bodies, which may reuse a name.
class TensorValues {
 public:
  explicit TensorValues(const Model& model) {
    for_each_graph(model.graph(), [this](const Graph& graph) {
      for (Value* value : graph.initializers()) add(*value);
      for (const Node& node : graph.nodes()) {
        if (node.is("Constant") && node.output()) add(*node.output());
      }
    });
  }

  const std::vector<Value*>& all() const { return order_; }
  Value* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  void add(Value& value) {
    if (!tensor_of(value) || value.name().empty() || !by_name_.emplace(value.name(), &value).second) return;
    order_.push_back(&value);
  }

  std::unordered_map<std::string_view, Value*> by_name_;
  std::vector<Value*> order_;
};

// The values that were asked for, or all.
std::vector<Value*> wanted_values(const Model& model, const TensorValues& tensors, const Names& names) {
  if (names.empty()) return tensors.all();
  std::vector<Value*> found;
  for (const Value* value : NameIndex(model).values(names)) {
    found.push_back(tensors.find(value->name()));
    if (!found.back()) {
      throw Error("", fmt::format("{} is not an initializer or the result of a Constant", quote_name(value->name())));
    }
  }
  return found;
}

}  // namespace

TensorReport export_tensors(const Model& model, const std::string& output, const TensorOptions& options) {
  std::vector<NamedContent> wanted;
  for (const Value* value : wanted_values(model, TensorValues(model), options.names))
    wanted.push_back({std::string(value->name()), tensor_of(*value)});
  TensorFiles written = write_tensors(model, wanted, output);
  TensorReport report;
  report.output = output;
  report.tensors = wanted.size() - written.left_out.size();
  for (const WrittenFile& file : written.files) report.bytes += file.bytes;
  report.left_out = std::move(written.left_out);
  report.files = std::move(written.files);
  return report;
}

TensorReport import_tensors(Model& model, const TensorOptions& options) {
  RestoreOnFailure restore(model);
  const std::vector<LoadedTensor> given = read_tensors(options.from);
  const TensorValues tensors(model);
  std::unordered_set<const Value*> wanted;
  for (const Value* value : wanted_values(model, tensors, options.names)) wanted.insert(value);
  std::vector<std::pair<Value*, const LoadedTensor*>> changes;
  for (const LoadedTensor& each : given) {
    Value* value = tensors.find(each.name);
    if (!value) {
      NameIndex(model).value(each.name);  // throws, with the nearest name, when there is no such value at all
      throw Error("", fmt::format("{} is not an initializer or the result of a Constant", quote_name(each.name)));
    }
    if (!wanted.contains(value)) continue;
    const Tensor* before = tensor_of(*value);
    const std::string old_type = to_string(before->type, before->dims), new_type = to_string(each.type, each.dims);
    if (old_type != new_type && !options.change_types) {
      throw Error("",
                  fmt::format("{} is {} in the model and {} in the file", quote_name(each.name), old_type, new_type),
                  "if that is intended, allow tensors to change their types and shapes");
    }
    changes.emplace_back(value, &each);
  }
  const bool valid = is_valid(model);
  TensorReport report;
  {
    Editor editor(model);
    for (const auto& [value, tensor] : changes) {
      editor.set_tensor(*value, make_tensor(model.arena(), tensor->type, tensor->dims, tensor->content));
      ++report.tensors;
      report.bytes += tensor->content.size();
    }
    if (options.change_types) editor.tidy();
  }
  require_valid(model, valid, "the result");
  restore.keep();
  return report;
}

std::string to_json(const TensorReport& report) { return json_text(report); }

}  // namespace onnxpress

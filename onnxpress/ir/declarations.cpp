// Inputs, outputs and value_infos of a graph, and renaming values, whose names occur in all of them.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "onnxpress/ir/graph.h"
#include "onnxpress/ir/listener.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

void Graph::link(GraphOutput& output, Value* value) {
  output.value = value;
  output.next_output = value->first_output_;
  if (output.next_output) output.next_output->link = &output.next_output;
  output.link = &value->first_output_;
  value->first_output_ = &output;
}

// output.value stays set, for code that still reads a removed body.
void Graph::unlink(GraphOutput& output) {
  if (!output.link) return;
  *output.link = output.next_output;
  if (output.next_output) output.next_output->link = output.link;
  output.next_output = nullptr;
  output.link = nullptr;
}

void Graph::link_declaration(ValueInfo& info) { info.next = std::exchange(info.value->first_declaration_, &info); }

// Takes declarations marked `removed` out of the lists of their values. Walks each value's list once, even if many of
// its declarations are removed.
void Graph::unlink_removed(std::span<ValueInfo* const> infos) {
  for (const ValueInfo* info : infos) {
    if (!info->removed || !info->value) continue;
    ValueInfo** link = &info->value->first_declaration_;
    while (ValueInfo* each = *link) {
      if (!each->removed) {
        link = &each->next;
        continue;
      }
      *link = each->next;
      each->next = nullptr;
      each->value = nullptr;
    }
  }
}

// --- Adding

ValueInfo* Graph::add_input(Value* value, const Type* type) {
  value->is_input_ = true;
  if (!value->type_) value->type_ = type;
  inputs_.push_back(
      context_->arena.make<ValueInfo>(ValueInfo{.value = value, .type = type, .kind = ValueInfo::Kind::kInput}));
  link_declaration(*inputs_.back());
  mark_changed();
  return inputs_.back();
}

ValueInfo* Graph::add_output(Value* value, const Type* type) {
  if (!value->type_) value->type_ = type;
  auto* output = context_->arena.make<GraphOutput>();
  output->type = type;
  output->kind = ValueInfo::Kind::kOutput;
  output->graph = this;
  output->index = static_cast<std::uint32_t>(outputs_.size());
  link(*output, value);
  outputs_.push_back(output);
  mark_changed();
  tell_listeners(*context_, [&](GraphListener& each) { each.output_replaced(*this, output->index, nullptr); });
  return output;
}

ValueInfo* Graph::add_value_info(Value* value, const Type* type) {
  if (!value->type_) value->type_ = type;
  value_infos_.push_back(context_->arena.make<ValueInfo>(ValueInfo{.value = value, .type = type}));
  link_declaration(*value_infos_.back());
  mark_changed();
  return value_infos_.back();
}

void Graph::add_quantization_annotation(const QuantizationAnnotation& annotation) {
  quantization_annotations_.push_back(annotation);
  annotations_by_name_.reset();
  mark_changed();
}

// --- Changing

void Graph::set_output(std::size_t i, Value* value) {
  auto& output = static_cast<GraphOutput&>(*outputs_[i]);
  Value* before = output.value;
  if (before == value) return;
  unlink(output);
  link(output, value);
  mark_changed(output);
  tell_listeners(*context_, [&](GraphListener& each) { each.output_replaced(*this, i, before); });
}

void Graph::remove_inputs(std::span<Value* const> values) {
  if (values.empty()) return;
  for (Value* value : values) value->is_input_ = false;
  const auto end = std::stable_partition(inputs_.begin(), inputs_.end(),
                                         [](const ValueInfo* info) { return info->value->is_input_ != 0; });
  const std::vector<ValueInfo*> gone(end, inputs_.end());
  inputs_.erase(end, inputs_.end());
  for (ValueInfo* info : gone) info->removed = true;
  unlink_removed(gone);
  mark_changed();
  for (Value* value : values)
    tell_listeners(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

void Graph::set_type(ValueInfo& info, const Type* type) {
  info.type = type;
  info.value->type_ = type;
  mark_changed(info);
  tell_listeners(*context_, [&info](GraphListener& each) { each.type_changed(*info.value); });
}

void Graph::clear_value_infos() { keep_value_infos({}); }

void Graph::keep_value_infos(std::vector<ValueInfo*> kept) {
  if (kept.size() == value_infos().size()) return;
  for (ValueInfo* info : value_infos_) info->removed = true;
  for (ValueInfo* info : kept) info->removed = false;
  unlink_removed(value_infos_);
  value_infos_ = std::move(kept);
  mark_changed();
}

void Graph::mark_infos_stale(const Value& value) {
  for (ValueInfo* info = value.first_declaration_; info; info = info->next) {
    if (info->kind != ValueInfo::Kind::kValueInfo) continue;
    info->stale = true;
    value.graph_->has_stale_infos_.store(true, std::memory_order_release);
  }
}

// Called lazily by value_infos(), so that erasing many nodes costs one walk. A value that has a new definition by then
// keeps its declaration.
void Graph::remove_stale_infos() const {
  const std::lock_guard lock(context_->mutex);
  if (!has_stale_infos_.load(std::memory_order_relaxed)) return;
  for (ValueInfo* info : value_infos_) {
    info->removed = std::exchange(info->stale, false) && !info->value->is_defined();
  }
  const std::vector<ValueInfo*> all = std::exchange(value_infos_, {});
  std::ranges::copy_if(all, std::back_inserter(value_infos_), [](const ValueInfo* info) { return !info->removed; });
  unlink_removed(all);
  has_stale_infos_.store(false, std::memory_order_release);
}

// --- Names

void Graph::rename(Value& value, std::string_view name) {
  const std::string_view old = std::exchange(value.name_, name);
  if (!name.empty()) context_->names.intern(name);
  if (value.producer_) value.producer_->graph_->mark_changed(*value.producer_);
  for (Use* use = value.first_use_; use; use = use->next_) use->user_->graph_->mark_changed(*use->user_);
  for (ValueInfo* info = value.first_declaration_; info; info = info->next) info->changed = true;
  for (GraphOutput* output = value.first_output_; output; output = output->next_output)
    output->graph->mark_changed(*output);
  if (!old.empty()) value.graph_->rename_in_annotations(old, name);
  if (Tensor* tensor = value.initializer()) tensor->name = name;
  if (SparseTensor* sparse = value.sparse_initializer(); sparse && sparse->values) sparse->values->name = name;
  value.graph_->mark_tensors_changed(value);
  tell_listeners(*context_, [&](GraphListener& each) { each.value_renamed(value, old); });
}

void Graph::rename_in_annotations(std::string_view before, std::string_view name) {
  if (quantization_annotations_.empty()) return;
  if (!annotations_by_name_) {
    annotations_by_name_ = std::make_unique<std::unordered_multimap<std::string_view, std::size_t>>();
    for (std::size_t i = 0; i < quantization_annotations_.size(); ++i) {
      annotations_by_name_->emplace(quantization_annotations_[i].tensor_name, i);
      for (const MetadataEntry& parameter : quantization_annotations_[i].parameters)
        annotations_by_name_->emplace(parameter.value, i);
    }
  }
  std::vector<std::size_t> found;
  const auto [begin, end] = annotations_by_name_->equal_range(before);
  for (auto each = begin; each != end; ++each) found.push_back(each->second);
  annotations_by_name_->erase(before);
  for (const std::size_t i : found) {
    QuantizationAnnotation& annotation = quantization_annotations_[i];
    if (annotation.tensor_name == before) annotation.tensor_name = name;
    const std::span<MetadataEntry> parameters = context_->arena.copy(annotation.parameters);
    for (MetadataEntry& parameter : parameters) {
      if (parameter.value == before) parameter.value = name;
    }
    annotation.parameters = parameters;
    annotation.origin = {};
    annotations_by_name_->emplace(name, i);
  }
}

}  // namespace onnxpress

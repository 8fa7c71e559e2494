// Splits groups of equal tensors by scope, keeps one of each, and redirects the users of the others.
#include "onnxpress/passes/whole/share_tensors.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "onnxpress/analysis/duplicates.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/shared/wire_size.h"
#include "onnxpress/passes/whole/scopes.h"

namespace onnxpress::passes {

namespace {

using analysis::TensorEntry;

struct Member {
  Value* value;
  const Tensor* tensor;
};

class TensorSharer {
 public:
  explicit TensorSharer(Model& model) : model_(model), scopes_(model) {
    roots_[&model.graph()] = 0;
    for (std::size_t i = 0; i < model.functions.size(); ++i) roots_[model.functions[i]->body] = i + 1;
  }

  void share(const analysis::TensorList& list, const analysis::DuplicateGroup& group) {
    std::map<std::size_t, std::vector<Member>> by_root;
    for (const std::uint32_t i : group.tensors) {
      const TensorEntry& entry = list.entries[i];
      const bool whole =
          entry.role == analysis::TensorRole::kInitializer || entry.role == analysis::TensorRole::kConstant;
      if (!whole || !entry.value || !scopes_.is_constant(*entry.value)) continue;
      const auto root = roots_.find(&root_of(*entry.value->graph()));
      if (root != roots_.end()) by_root[root->second].push_back({entry.value, entry.tensor});
    }
    for (const auto& [number, members] : by_root) {
      if (members.size() > 1) share_members(root_of(*members.front().value->graph()), members);
    }
  }

  std::vector<Saving> finish() {
    for (auto& [graph, values] : unused_) graph->remove_initializers(values);
    return std::move(savings_);
  }

 private:
  static constexpr std::size_t kFreshName = 5;  // v0, v1, ...

  // The length of the name that the value has, or will get when it is written.
  static std::size_t name_length(const Value& value) { return value.name().empty() ? kFreshName : value.name().size(); }

  // The bytes saved by removing the value, minus those that a longer name costs at each use.
  static std::int64_t gain(const Member& member, std::size_t new_length) {
    const auto bytes = initializer_bytes(member.tensor->type, member.tensor->dims, member.tensor->stored_bytes(),
                                         name_length(*member.value));
    const auto longer = static_cast<std::int64_t>(new_length) - static_cast<std::int64_t>(name_length(*member.value));
    return static_cast<std::int64_t>(bytes) - longer * static_cast<std::int64_t>(member.value->use_count());
  }

  // The member to keep: one in the root graph, preferably one that must stay anyway; null if there is none.
  Value* keeper(Graph& root, const std::vector<Member>& members) {
    Value* found = nullptr;
    for (const Member& member : members) {
      if (member.value->graph() != &root) continue;
      const bool better = !found || (scopes_.must_stay(*member.value) && !scopes_.must_stay(*found));
      if (better) found = member.value;
    }
    return found;
  }

  Value* hoisted(Graph& root, const std::vector<Member>& members) {
    const Member& first = members.front();
    const std::string_view name = first.value->name();
    // Sibling bodies may use one name for different values. The name is free in the root graph if all values that have
    // it are removed.
    const auto owners =
        std::ranges::count_if(members, [name](const Member& member) { return member.value->name() == name; });
    const bool free = scopes_.definitions(name) == static_cast<std::uint32_t>(owners);
    Arena& arena = model_.arena();
    auto* tensor = arena.make<Tensor>(*first.tensor);
    tensor->dims = arena.copy(first.tensor->dims);
    tensor->changed = true;
    if (!tensor->origin.data()) tensor->storage = tensor->strings().empty() ? Storage::kMade : Storage::kStrings;
    Value* value = add_constant(model_, root, root.nodes().front(), tensor, free ? name : std::string_view());
    if (free) scopes_.add_definition(name);
    return value;
  }

  void share_members(Graph& root, const std::vector<Member>& members) {
    Value* kept = keeper(root, members);
    std::vector<Member> gone;
    for (const Member& member : members) {
      if (member.value == kept || scopes_.must_stay(*member.value)) continue;
      // A body that defines the same name itself would not see the value outside.
      if (kept && member.value->graph() != &root && !scopes_.has_own_name(*kept)) continue;
      if (gain(member, kept ? name_length(*kept) : kFreshName) > 0) gone.push_back(member);
    }
    if (gone.empty() || (!kept && gone.size() < 2)) return;
    const bool moved = !kept;  // then the first one moves to the root graph, which saves nothing
    if (moved) {
      kept = hoisted(root, gone);
    } else if (Node* node = kept->producer(); node && node != root.nodes().front()) {
      root.move_before(*node, root.nodes().front());  // its new users may be anywhere
    }
    for (std::size_t i = 0; i < gone.size(); ++i) remove(gone[i], kept, i > 0 || !moved);
  }

  void remove(const Member& member, Value* kept, bool saves) {
    Value* value = member.value;
    value->graph()->replace_operands(value, kept);
    const auto before = static_cast<std::uint64_t>(std::max<std::int64_t>(0, gain(member, name_length(*value))));
    if (saves) savings_.push_back({value->name(), "share", before, 0});
    scopes_.remove_definition(value->name());
    if (Node* node = value->producer()) {
      value->graph()->erase(*node);
    } else {
      unused_[value->graph()].push_back(value);
    }
  }

  Model& model_;
  Scopes scopes_;
  std::unordered_map<const Graph*, std::size_t> roots_;  // the main graph and functions, numbered
  std::map<Graph*, std::vector<Value*>> unused_;
  std::vector<Saving> savings_;
};

}  // namespace

std::vector<Saving> share_tensors(Model& model, std::uint64_t largest) {
  if (!model.training.empty()) return {};
  analysis::TensorList list = analysis::list_tensors(model);
  std::erase_if(list.entries, [largest](const TensorEntry& entry) { return entry.bytes > largest; });
  const analysis::Duplicates duplicates = analysis::find_duplicates(list, model.files);
  TensorSharer sharer(model);
  for (const analysis::DuplicateGroup& group : duplicates.same_tensor) sharer.share(list, group);
  return sharer.finish();
}

}  // namespace onnxpress::passes

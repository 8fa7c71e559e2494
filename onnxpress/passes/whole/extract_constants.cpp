// Chooses groups of equal constants, and replaces their initializers and Constant nodes by one input each.
#include "onnxpress/passes/whole/extract_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/duplicates.h"
#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/passes/whole/scopes.h"
#include "onnxpress/passes/whole/unknown_name.h"

namespace onnxpress::passes {

namespace {

using Group = std::vector<std::uint32_t>;  // entries with equal tensors

class Extractor {
 public:
  explicit Extractor(Model& model) : model_(model), scopes_(model), ops_(model), list_(analysis::list_tensors(model)) {
    std::erase_if(list_.entries, [](const analysis::TensorEntry& entry) { return !entry.value; });
    for (std::uint32_t i = 0; i < list_.entries.size(); ++i) by_value_[list_.entries[i].value] = i;
    const analysis::Duplicates duplicates = analysis::find_duplicates(list_, model.files);
    for (const analysis::DuplicateGroup& group : duplicates.same_tensor) {
      Group members;
      for (const std::uint32_t i : group.tensors) {
        if (refusal(*list_.entries[i].value)) continue;
        members.push_back(i);
        group_of_[i] = groups_.size();
      }
      groups_.push_back(std::move(members));
    }
  }

  void choose_repeated() {
    for (const Group& group : groups_) {
      const bool data = std::ranges::all_of(group, [this](std::uint32_t member) { return is_data(member); });
      if (group.size() < 2 || !data) continue;
      if (!list_.entries[group.front()].tensor->dims.empty() && has_numpy_type(group.front())) choose(group.front());
    }
  }

  void choose_named(const std::string& name) {
    std::vector<std::string> known;
    for (std::uint32_t i = 0; i < list_.entries.size(); ++i) {
      const Value& value = *list_.entries[i].value;
      if (value.name() != name) {
        known.emplace_back(value.name());
        continue;
      }
      if (const char* why = refusal(value))
        throw Error("", fmt::format("{} cannot become an input: {}", quote_name(name), why));
      choose(i);
      return;
    }
    throw UnknownName("constant", name, std::move(known));
  }

  void choose_of_node(const std::string& name) {
    std::vector<std::string> known;
    bool found = false;
    for_each_graph(model_.graph(), [&](Graph& graph) {
      for (const Node& node : graph.nodes()) {
        if (node.name() != name) {
          if (!node.name().empty()) known.emplace_back(node.name());
          continue;
        }
        found = true;
        for (const Use& use : node.inputs()) {
          const auto entry = use.value() ? by_value_.find(use.value()) : by_value_.end();
          if (entry == by_value_.end() || list_.entries[entry->second].tensor->dims.empty()) continue;
          if (!refusal(*use.value())) choose(entry->second);
        }
      }
    });
    if (!found) throw UnknownName("node", name, std::move(known));
  }

  std::vector<Extracted> finish() {
    std::vector<Extracted> extracted;
    for (const std::uint32_t i : chosen_) extracted.push_back(extract(group(i)));
    return extracted;
  }

 private:
  // Why it cannot become an input; null when it can.
  const char* refusal(const Value& value) const {
    if (value.is_input()) return "it already is one";
    if (&root_of(*value.graph()) != &model_.graph()) return "it belongs to a function";
    if (value.is_output()) return "it is an output";
    if (scopes_.must_stay(value)) return "a quantization annotation names it";
    if (!scopes_.is_constant(value)) return "it is not a separate constant";
    return nullptr;
  }

  bool is_data(std::uint32_t i) const {
    for (const Use* use = list_.entries[i].value->first_use(); use; use = use->next()) {
      const Node& user = *use->user();
      const ops::Op* op = ops_.function_of(user) ? nullptr : ops_.op_of(user);
      if (op && ops::is_parameter(*op->schema, use->index())) return false;
    }
    return true;
  }

  bool has_numpy_type(std::uint32_t i) const {
    const ElementType type = list_.entries[i].tensor->type;
    return bits_of(type) >= 8 && type != ElementType::kBfloat16 && !name_of(type).starts_with("float8");
  }

  Group group(std::uint32_t i) const {
    const auto found = group_of_.find(i);
    return found == group_of_.end() ? Group{i} : groups_[found->second];
  }

  void choose(std::uint32_t i) {
    const auto found = group_of_.find(i);
    const std::uint32_t first = found == group_of_.end() ? i : groups_[found->second].front();
    if (is_chosen_.insert(first).second) chosen_.push_back(first);
  }

  // A name that nothing else has, so that the input is visible in every body.
  std::string_view free_name(std::string_view wanted, std::size_t owners) const {
    if (!wanted.empty() && scopes_.definitions(wanted) == owners) return wanted;
    for (int number = 2;; ++number) {
      const std::string name = fmt::format("{}_{}", wanted.empty() ? "constant" : wanted, number);
      if (model_.context().names.find(name) == NameTable::kNone) return model_.arena().text(name);
    }
  }

  Extracted extract(const Group& members) {
    Graph& root = model_.graph();
    const analysis::TensorEntry& first = list_.entries[members.front()];
    const std::string_view old = first.value->name();
    const auto owners = static_cast<std::size_t>(
        std::ranges::count_if(members, [&](std::uint32_t i) { return list_.entries[i].value->name() == old; }));
    const std::string_view name = free_name(old, owners);
    Extracted extracted{root.create_value(name), *first.tensor};
    extracted.tensor.dims = model_.arena().copy(first.tensor->dims);  // the list owns the dims of plain numbers
    for (const std::uint32_t i : members) {
      Value* value = list_.entries[i].value;
      value->graph()->replace_operands(value, extracted.input);
      remove_unused_constant(*value);
    }
    root.add_input(extracted.input, make_tensor_type(model_.arena(), extracted.tensor.type, extracted.tensor.dims));
    return extracted;
  }

  Model& model_;
  Scopes scopes_;
  analysis::OpResolver ops_;
  analysis::TensorList list_;
  std::unordered_map<const Value*, std::uint32_t> by_value_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint32_t, std::size_t> group_of_;
  std::vector<std::uint32_t> chosen_;  // the first of each group, in the order in which they were chosen
  std::unordered_set<std::uint32_t> is_chosen_;
};

}  // namespace

std::vector<Extracted> extract_constants(Model& model, const ExtractWish& wish) {
  if (!wish.repeated && wish.names.empty() && wish.nodes.empty()) return {};
  Extractor extractor(model);
  for (const std::string& name : wish.names) extractor.choose_named(name);
  for (const std::string& name : wish.nodes) extractor.choose_of_node(name);
  if (wish.repeated) extractor.choose_repeated();
  return extractor.finish();
}

}  // namespace onnxpress::passes

// Copies both models into one, the second with its fed inputs replaced.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/copy_nodes.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/edit/find_names.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/inspect/fact_type.h"
#include "onnxpress/tasks/parts/extract.h"
#include "onnxpress/tasks/parts/make_part.h"
#include "onnxpress/tasks/report/field_lists/parts.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress {

namespace {

struct Connection {
  const ValueInfo* from;
  const ValueInfo* to;
};

const ValueInfo* find(std::span<ValueInfo* const> infos, std::string_view name) {
  const auto found = std::ranges::find_if(infos, [&](const ValueInfo* each) { return each->value->name() == name; });
  return found == infos.end() ? nullptr : *found;
}

std::string names_of(std::span<ValueInfo* const> infos) {
  std::vector<std::string> names;
  for (const ValueInfo* each : infos) names.push_back(plain_or_quoted(each->value->name()));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<Connection> connections_of(const Model& first, const Model& second, const MergeOptions& options) {
  const auto outputs = first.graph().outputs(), inputs = second.graph().inputs();
  std::vector<Connection> found;
  for (const std::string& text : options.map) {
    const auto [from, to] = split_pair(text, "a_out=b_in", [&](std::string_view name) { return find(outputs, name); });
    const Connection each{find(outputs, from), find(inputs, to)};
    if (!each.from) {
      throw Error("", fmt::format("the first model has no output {}", quote_name(from)),
                  fmt::format("its outputs are {}", names_of(outputs)));
    }
    if (!each.to) {
      throw Error("", fmt::format("the second model has no input {}", quote_name(to)),
                  fmt::format("its inputs are {}", names_of(inputs)));
    }
    if (std::ranges::any_of(found, [&](const Connection& other) { return other.to == each.to; }))
      throw Error("", fmt::format("input {} is fed twice", quote_name(to)));
    found.push_back(each);
  }
  if (!options.map.empty()) return found;
  for (const ValueInfo* output : outputs) {
    if (const ValueInfo* input = find(inputs, output->value->name())) found.push_back({output, input});
  }
  if (found.empty()) {
    throw Error("", "no output of the first model has the name of an input of the second",
                fmt::format("say which output feeds which input; the outputs are {}, the inputs are {}",
                            names_of(outputs), names_of(inputs)));
  }
  return found;
}

// --- Types

bool fits(const Type* from, const Type* to) {
  if (!from || !to) return true;
  if (from->kind != to->kind) return false;
  if (!from->is_tensor()) return fits(from->inner, to->inner);
  if (from->element != to->element) return false;
  if (!from->has_shape || !to->has_shape) return true;
  if (from->dims.size() != to->dims.size()) return false;
  for (std::size_t i = 0; i < from->dims.size(); ++i) {
    const auto a = from->dims[i].size(), b = to->dims[i].size();
    if (a && b && *a != *b && *a >= 0 && *b >= 0) return false;
  }
  return true;
}

void require_fitting_types(const Model& first, const std::vector<Connection>& connections) {
  const analysis::Facts facts(first, {.trust_value_info = true});
  for (const Connection& each : connections) {
    const Type* from = declared_type(facts, *each.from->value);
    if (fits(from, each.to->type)) continue;
    throw Error("",
                fmt::format("output {} is {}, but input {} takes {}", quote_name(each.from->value->name()),
                            to_string(from), quote_name(each.to->value->name()), to_string(each.to->type)),
                "change one of them first: `onnxpress edit` sets types and shapes");
  }
}

// --- Opsets

// Throws Error if an op of the domain that the model uses has another meaning in the other version.
void require_same_meaning(const Model& model, std::string_view which, std::string_view domain, std::int64_t own,
                          std::int64_t other) {
  const analysis::OpResolver ops(model);
  for_each_graph(model.graph(), [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (normal_domain(node.domain()) != normal_domain(domain) || ops.function_of(node)) continue;
      const ops::Op* before = ops::find_op(domain, node.op_type(), own);
      const ops::Op* after = ops::find_op(domain, node.op_type(), other);
      if (before && before == after) continue;
      throw Error(
          fmt::format("node {} of the {} model", analysis::node_label(node), which),
          fmt::format("the models import versions {} and {} of opset {}, between which {} changed its meaning", own,
                      other, domain.empty() ? "ai.onnx" : quote_name(domain), plain_or_quoted(node.op_type())),
          "convert one of the models to the opset of the other first");
    }
  });
}

std::vector<OpsetImport> merged_opsets(const Model& first, const Model& second) {
  std::vector<OpsetImport> merged = first.opsets;
  for (const OpsetImport& each : second.opsets) {
    const auto same = std::ranges::find_if(
        merged, [&](const OpsetImport& other) { return normal_domain(other.domain) == normal_domain(each.domain); });
    if (same == merged.end()) {
      merged.push_back(each);
    } else if (same->version != each.version) {
      const std::int64_t wanted = std::max(same->version, each.version);
      const bool first_changes = same->version != wanted;
      require_same_meaning(first_changes ? first : second, first_changes ? "first" : "second",
                           normal_domain(each.domain), std::min(same->version, each.version), wanted);
      *same = {same->domain, wanted, {}};
    }
  }
  return merged;
}

// --- Copying

class Merger {
 public:
  Merger(const Model& first, const Model& second, const MergeOptions& options, MergeReport& report)
      : first_(first), second_(second), options_(options), report_(report) {}

  Model merge(const std::vector<Connection>& connections) {
    NodeCopier one(first_, made_);
    one.copy_header();
    copy_inputs(one, first_, {});
    copy_content(one, first_);
    std::unordered_set<const Value*> fed, feeding;
    NodeCopier two(second_, made_);
    two.set_prefix(options_.prefix);
    for (const Connection& each : connections) {
      two.cut(*each.to->value, one.copy(*each.from->value));
      fed.insert(each.to->value);
      feeding.insert(each.from->value);
    }
    if (options_.share_inputs) share_inputs(one, two, fed);
    rename_functions(one, two);
    copy_inputs(two, second_, fed);
    copy_content(two, second_, fed);
    copy_outputs(one, first_, options_.keep_outputs ? std::unordered_set<const Value*>() : feeding);
    copy_outputs(two, second_, {});
    one.copy_value_infos(first_.graph());
    two.copy_value_infos(second_.graph());
    for (const auto& [before, after] : two.renamed())
      report_.renamed.push_back({std::string(before), std::string(after)});
    merge_header();
    return std::move(made_);
  }

 private:
  void copy_inputs(NodeCopier& copier, const Model& from, const std::unordered_set<const Value*>& without) {
    for (const ValueInfo* input : from.graph().inputs()) {
      if (without.contains(input->value)) continue;
      ValueInfo* made = made_.graph().add_input(copier.copy(*input->value), copier.copy(input->type));
      made->doc = input->doc.data() ? made_.arena().text(input->doc) : input->doc;
    }
  }

  // Inputs of the second model that the first model also has are replaced by those of the first.
  void share_inputs(NodeCopier& one, NodeCopier& two, std::unordered_set<const Value*>& fed) {
    for (const ValueInfo* input : second_.graph().inputs()) {
      const ValueInfo* same = find(first_.graph().inputs(), input->value->name());
      if (!same || fed.contains(input->value) || input->value->initializer()) continue;
      if (!fits(same->type, input->type)) {
        throw Error("", fmt::format("input {} is {} in the first model and {} in the second",
                                    quote_name(input->value->name()), to_string(same->type), to_string(input->type)));
      }
      two.cut(*input->value, one.copy(*same->value));
      fed.insert(input->value);
    }
  }

  void copy_content(NodeCopier& copier, const Model& from, const std::unordered_set<const Value*>& fed = {}) {
    for (const Value* value : from.graph().initializers()) {
      if (!fed.contains(value)) copier.copy_initializer(*value);
    }
    for (const Value* value : from.graph().sparse_initializers()) {
      if (!fed.contains(value)) copier.copy_initializer(*value);
    }
    for (const Node& node : from.graph().nodes()) copier.copy(node, made_.graph());
  }

  void copy_outputs(NodeCopier& copier, const Model& from, const std::unordered_set<const Value*>& without) {
    for (const ValueInfo* output : from.graph().outputs()) {
      if (without.contains(output->value)) continue;
      Value* value = copier.copy(*output->value);
      const bool there =
          std::ranges::any_of(made_.graph().outputs(), [&](const ValueInfo* each) { return each->value == value; });
      if (!there) made_.graph().add_output(value, copier.copy(output->type));
    }
  }

  // Merges functions that have the same name and content; gives different ones names of their own.
  void rename_functions(NodeCopier& one, NodeCopier& two) {
    std::map<std::string, const Function*> known;
    for (const Function* each : first_.functions) {
      known.emplace(analysis::function_id(each->domain, each->name, each->overload), each);
      one.copy(*each);
    }
    std::vector<std::pair<const Function*, std::string>> copies;
    for (const Function* each : second_.functions) {
      const auto same = known.find(analysis::function_id(each->domain, each->name, each->overload));
      if (same == known.end()) {
        copies.emplace_back(each, std::string(each->name));
      } else if (text_of(*same->second) != text_of(*each)) {
        std::string name;
        for (std::size_t i = 2;
             name.empty() || known.contains(analysis::function_id(each->domain, name, each->overload)); ++i)
          name = fmt::format("{}_{}", each->name, i);
        two.rename_function(*each, name);
        copies.emplace_back(each, name);
      }
    }
    for (const auto& [function, name] : copies) two.copy(*function)->name = made_.arena().text(name);
  }

  static std::string text_of(const Function& function) {
    std::string text = text::print_graph(*function.body);
    for (const OpsetImport& each : function.opsets) text += fmt::format("\n{}:{}", each.domain, each.version);
    for (const std::string_view each : function.attribute_names) text += fmt::format("\n{}", each);
    text += fmt::format("\n{}", function.attribute_defaults.size());
    return text;
  }

  void merge_header() {
    made_.opsets.clear();
    for (const OpsetImport& each : merged_opsets(first_, second_))
      made_.opsets.push_back({made_.arena().text(each.domain), each.version, {}});
    if (second_.ir_version) made_.ir_version = std::max(made_.ir_version.value_or(0), *second_.ir_version);
    for (const MetadataEntry& each : second_.metadata) {
      if (std::ranges::find(made_.metadata, each.key, &MetadataEntry::key) == made_.metadata.end())
        made_.metadata.push_back({made_.arena().text(each.key), made_.arena().text(each.value)});
    }
  }

  const Model &first_, &second_;
  const MergeOptions& options_;
  MergeReport& report_;
  Model made_;
};

}  // namespace

Merged merge(const Model& first, const Model& second, const MergeOptions& options) {
  MergeReport report;
  for (const Model* each : {&first, &second}) require_clear_names(*each);
  const std::vector<Connection> connections = connections_of(first, second, options);
  require_fitting_types(first, connections);
  const bool valid = is_valid(first) && is_valid(second);
  for (const Connection& each : connections)
    report.connections.push_back({std::string(each.from->value->name()), std::string(each.to->value->name())});
  Model made = Merger(first, second, options, report).merge(connections);
  require_valid(made, valid, "the merged model");
  report.nodes = made.graph().nodes().size();
  report.inputs = lines_of(made.graph().inputs());
  report.outputs = lines_of(made.graph().outputs());
  return {std::move(made), std::move(report)};
}

std::string to_json(const MergeReport& report) { return json_text(report); }

}  // namespace onnxpress

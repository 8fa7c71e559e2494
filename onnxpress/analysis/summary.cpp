// Counts nodes and weights and copies names out of the model, so that a summary outlives it.
#include "onnxpress/analysis/summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

std::string domain_text(std::string_view domain) {
  return is_standard_domain(domain) ? "ai.onnx" : std::string(domain);
}

InterfaceLine line_of(const ValueInfo& info) {
  InterfaceLine line;
  line.name = info.value ? std::string(info.value->name()) : "";
  line.type = to_string(info.type);
  if (!info.type || !info.type->is_tensor()) return line;
  line.element = name_of(info.type->element);
  if (!info.type->has_shape) return line;
  line.shape.emplace();
  for (const Dim dim : info.type->dims) {
    if (const auto size = dim.size()) {
      line.shape->emplace_back(*size);
    } else if (const Symbol* symbol = dim.symbol()) {
      line.shape->emplace_back(std::string(symbol->name));
    } else {
      line.shape->emplace_back(std::monostate());
    }
  }
  return line;
}

// An ordered map, because names from a hostile file could make a hash table slow.
using OpKey = std::pair<std::string_view, std::string_view>;  // domain, op

class NodeCounter {
 public:
  explicit NodeCounter(Summary& summary) : summary_(summary) {}

  // Counts `graph` in `*own` and the bodies inside in `*inner`.
  void count(const Graph& graph, std::uint64_t* own, std::uint64_t* inner, std::uint64_t depth = 0) {
    summary_.deepest_body = std::max(summary_.deepest_body, depth);
    *own += graph.nodes().size();
    summary_.nodes.total += graph.nodes().size();
    for (const Node& node : graph.nodes()) {
      ++counts_[{normal_domain(node.domain()), node.op_type()}];
      for (const Attribute* attribute : node.attributes()) {
        for_each_graph_in(*attribute, [&](const Graph& body) {
          ++summary_.bodies;
          count(body, inner, inner, depth + 1);
        });
      }
    }
  }

  void finish(const Model& model) {
    std::set<OpKey> functions;
    for (const Function* each : model.functions) {
      functions.emplace(normal_domain(each->domain), each->name);
    }
    for (const auto& [key, nodes] : counts_) {
      summary_.nodes.by_op.push_back({std::string(key.second), domain_text(key.first), nodes, functions.contains(key)});
    }
    std::ranges::stable_sort(summary_.nodes.by_op,
                             [](const OpCount& a, const OpCount& b) { return a.nodes > b.nodes; });
  }

 private:
  Summary& summary_;
  std::map<OpKey, std::uint64_t> counts_;
};

void count_nodes(const Model& model, Summary& summary) {
  NodeCounts& nodes = summary.nodes;
  NodeCounter counter(summary);
  counter.count(model.graph(), &nodes.main_graph, &nodes.bodies);
  for (const Function* each : model.functions) counter.count(*each->body, &nodes.functions, &nodes.functions);
  for (const TrainingInfo* each : model.training) {
    for (const Graph* graph : {each->initialization, each->algorithm}) {
      if (!graph) continue;
      ++summary.training_graphs;
      counter.count(*graph, &nodes.training, &nodes.training);
    }
  }
  counter.finish(model);
}

}  // namespace

Summary summarize(const Model& model) {
  Summary summary;
  summary.ir_version = model.ir_version;
  summary.model_version = model.model_version;
  summary.producer_name = model.producer_name;
  summary.producer_version = model.producer_version;
  summary.domain = model.domain;
  summary.doc = model.doc;
  summary.graph = model.graph().name();
  for (const OpsetImport& import : model.opsets) summary.opsets.push_back({domain_text(import.domain), import.version});
  for (const ValueInfo* info : model.graph().inputs()) {
    const bool has_default = info->value && (info->value->initializer() || info->value->sparse_initializer());
    (has_default ? summary.inputs_with_default : summary.inputs).push_back(line_of(*info));
  }
  for (const ValueInfo* info : model.graph().outputs()) summary.outputs.push_back(line_of(*info));
  for (const MetadataEntry& entry : model.metadata)
    summary.metadata.push_back({std::string(entry.key), std::string(entry.value)});
  summary.functions = model.functions.size();
  count_nodes(model, summary);
  return summary;
}

namespace {

void add_to(std::map<std::string, WeightGroup>& groups, std::string_view name, const TensorEntry& entry,
            std::uint64_t parameters) {
  WeightGroup& group = groups[std::string(name)];
  group.name = name;
  ++group.tensors;
  group.parameters += parameters;
  group.bytes += entry.bytes;
}

std::vector<WeightGroup> largest_first(std::map<std::string, WeightGroup>& groups) {
  std::vector<WeightGroup> sorted;
  sorted.reserve(groups.size());
  for (auto& [name, group] : groups) sorted.push_back(std::move(group));
  std::ranges::stable_sort(sorted, [](const WeightGroup& a, const WeightGroup& b) { return a.bytes > b.bytes; });
  return sorted;
}

}  // namespace

WeightTotals total(const TensorList& tensors) {
  WeightTotals totals;
  std::map<std::string, WeightGroup> by_type, by_place;
  for (const TensorEntry& entry : tensors.entries) {
    const std::uint64_t parameters = entry.role == TensorRole::kSparseIndices ? 0 : entry.elements.value_or(0);
    ++totals.tensors;
    totals.parameters += parameters;
    totals.bytes += entry.bytes;
    totals.wrong_size += entry.wrong_size ? 1 : 0;
    add_to(by_type, name_of(entry.tensor->type), entry, parameters);
    add_to(by_place, name_of(entry.role), entry, parameters);
  }
  totals.by_type = largest_first(by_type);
  totals.by_place = largest_first(by_place);
  return totals;
}

}  // namespace onnxpress::analysis

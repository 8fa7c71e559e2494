// From facts and costs to the report.
#include "onnxpress/tasks/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/cost/node_costs.h"
#include "onnxpress/analysis/memory/activations.h"
#include "onnxpress/analysis/summary.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/inputs/custom_ops.h"
#include "onnxpress/tasks/profile/assumed_sizes.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress::tasks {

namespace {

using analysis::Activation;
using analysis::Amount;
using analysis::Facts;
using analysis::ModelCosts;
using analysis::NodeCost;

std::string op_name(const Node& node) {
  return is_standard_domain(node.domain()) ? std::string(node.op_type())
                                           : fmt::format("{}.{}", node.domain(), node.op_type());
}

std::string type_text(const Facts& facts, const Value* value) {
  if (!value) return {};
  ops::Fact fact = facts.of(*value);
  fact.shape = facts.shape_of(*value);
  return analysis::to_string(fact);
}

class Profiler {
 public:
  Profiler(Model& model, const Facts& facts, const ProfileOptions& options)
      : model_(model), facts_(facts), options_(options) {}

  ProfileReport profile() {
    begin_stage("counting work");
    const ModelCosts costs = analysis::costs_of(facts_, model_);
    assume_sizes(costs);
    add_weights();
    add_totals(costs);
    for (const NodeCost& each : costs.nodes) add_node(each);
    add_ops();
    add_memory();
    for (const Node* node : costs.unknown) {
      const std::string name = op_name(*node);
      if (std::ranges::find(report_.unknown_ops, name) == report_.unknown_ops.end())
        report_.unknown_ops.push_back(name);
    }
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (!input->value->initializer())
        report_.inputs.push_back(fmt::format("{} {}", input->value->name(), type_text(facts_, input->value)));
    }
    report_.count = options_.count;
    return std::move(report_);
  }

 private:
  void assume_sizes(const ModelCosts& costs) {
    sizes_ = assumed_sizes(model_, facts_, costs);
    for (const auto& [symbol, size] : sizes_.sizes) report_.assumed.push_back({std::string(symbol->name), size});
    size_of_ = [this](const Symbol& symbol) { return sizes_.of(symbol); };
  }

  std::optional<std::uint64_t> number(Dim dim) const {
    const auto value = facts_.dims().value_of(dim, size_of_);
    return value && *value >= 0 ? std::optional<std::uint64_t>(*value) : std::nullopt;
  }

  AmountLine line_of(const Amount& amount) const {
    return {amount.value(facts_.dims(), size_of_), amount.formula(), !amount.is_exact()};
  }

  // --- Weights

  // Each tensor once, at the first node that reads it, in order.
  void add_weights() {
    const analysis::TensorList list = analysis::list_tensors(model_);
    const auto totals = analysis::total(list);
    report_.parameters = totals.parameters;
    report_.tensors = totals.tensors;
    report_.weight_bytes = totals.bytes;
    for (const analysis::TensorEntry& entry : list.entries) {
      if (entry.value && entry.role != analysis::TensorRole::kSparseIndices) {
        auto& held = weights_[entry.value];
        held.first += entry.elements.value_or(0);
        held.second += entry.bytes;
      }
    }
  }

  void add_own_weights(const Node& node, NodeProfile& line) {
    const auto take = [&](const Value* value) {
      const auto found = value ? weights_.find(value) : weights_.end();
      if (found == weights_.end() || !seen_.insert(value).second) return;
      line.parameters += found->second.first;
      line.weight_bytes += found->second.second;
    };
    for (const Use& use : node.inputs()) take(use.value());
  }

  // --- Nodes

  void add_totals(const ModelCosts& costs) {
    Amount flops = costs.flops;
    flops.add(costs.macs);
    flops.add(costs.macs);
    report_.macs = line_of(costs.macs);
    report_.flops = line_of(flops);
    report_.read = line_of(costs.read);
    report_.written = line_of(costs.written);
    const bool some_unknown = !costs.unknown.empty();
    for (AmountLine* line : {&report_.macs, &report_.flops, &report_.read, &report_.written})
      line->at_least |= some_unknown;
    report_.nodes = costs.nodes.size();
  }

  void add_node(const NodeCost& cost) {
    const Node& node = *cost.node;
    NodeProfile line;
    line.name = node.name().empty() && node.output() ? node.output()->name() : node.name();
    line.op = op_name(node);
    for (const Use& use : node.inputs()) line.inputs.push_back(type_text(facts_, use.value()));
    for (const Value* output : node.outputs()) line.outputs.push_back(type_text(facts_, output));
    line.known = cost.is_known;
    line.estimate = cost.is_estimate;
    line.counted = cost.is_counted;
    line.depth = cost.depth;
    line.times = number(cost.times);
    if (cost.is_known) {
      line.macs = number(cost.macs);
      const auto other = number(cost.flops);
      if (line.macs && other) line.flops = 2 * *line.macs + *other;
      line.read = number(cost.read);
      line.written = number(cost.written);
      if (cost.macs.is_symbol()) line.macs_formula = onnxpress::to_string(cost.macs);
    }
    add_own_weights(node, line);
    row_of_.emplace(&node, report_.node_list.size());
    report_.node_list.push_back(std::move(line));
  }

  void add_ops() {
    std::map<std::string, OpProfile> by_op;
    for (const NodeProfile& node : report_.node_list) {
      OpProfile& op = by_op[node.op];
      op.op = node.op;
      op.parameters += node.parameters;
      op.weight_bytes += node.weight_bytes;
      if (!node.counted) continue;
      ++op.nodes;
      op.macs += node.macs.value_or(0);
      op.flops += node.flops.value_or(0);
      op.read += node.read.value_or(0);
      op.written += node.written.value_or(0);
    }
    for (auto& [name, op] : by_op) report_.ops.push_back(std::move(op));
    const bool macs = options_.count == Count::kMac;
    std::ranges::stable_sort(report_.ops, [macs](const OpProfile& a, const OpProfile& b) {
      if (macs && a.macs != b.macs) return a.macs > b.macs;
      if (a.flops != b.flops) return a.flops > b.flops;
      return a.written > b.written;
    });
  }

  // --- Memory

  void add_memory() {
    begin_stage("planning memory");
    const analysis::ActivationMemory memory =
        analysis::activations_of(facts_, model_.graph(), {.alignment = options_.alignment, .size_of = size_of_});
    MemoryProfile& out = report_.memory;
    out.activations = memory.all;
    out.plain_peak = memory.plain_peak;
    out.peak = memory.plan.live_peak;
    out.pool = memory.plan.pool;
    out.weights = report_.weight_bytes;
    out.unknown = memory.unknown.size();
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (!input->value->initializer()) out.inputs += bytes_of(*input->value).value_or(0);
    }
    std::uint32_t step = 0;
    for (const Node& node : model_.graph().nodes()) {
      if (step == memory.plan.peak_step && memory.plan.live_peak > 0) out.peak_node = name_of_node(node);
      ++step;
    }
    add_alive(memory, step);
  }

  void add_alive(const analysis::ActivationMemory& memory, std::uint32_t steps) {
    std::vector<std::int64_t> change(steps + 2, 0);
    for (const analysis::Buffer& buffer : memory.buffers) {
      change[buffer.first] += static_cast<std::int64_t>(buffer.bytes);
      change[std::min(buffer.last, steps) + 1] -= static_cast<std::int64_t>(buffer.bytes);
    }
    std::int64_t alive = 0;
    std::uint32_t step = 0;
    for (const Node& node : model_.graph().nodes()) {
      alive += change[step++];
      if (const auto row = row_of_.find(&node); row != row_of_.end())
        report_.node_list[row->second].live = static_cast<std::uint64_t>(alive);
    }
    for (const Activation& each : memory.values) {
      if (each.first > memory.plan.peak_step || each.last < memory.plan.peak_step || each.is_view || each.in_place)
        continue;
      report_.memory.alive.push_back(
          {each.value ? std::string(each.value->name()) : "bodies of " + name_of_node(*each.node),
           each.value ? type_text(facts_, each.value) : "", each.bytes});
    }
    std::ranges::stable_sort(report_.memory.alive, std::greater<>(), &MemoryValue::bytes);
  }

  static std::string name_of_node(const Node& node) {
    return std::string(node.name().empty() && node.output() ? node.output()->name() : node.name());
  }

  std::optional<std::uint64_t> bytes_of(const Value& value) const {
    const auto shape = facts_.shape_of(value);
    const int bits = bits_of(facts_.of(value).element);
    if (!shape || bits <= 0) return std::nullopt;
    Dim elements = Dim::size(1);
    for (const Dim dim : *shape) elements = facts_.dims().mul(elements, dim);
    const auto count = number(elements);
    return count && *count < (std::uint64_t{1} << 56) ? std::optional((*count * static_cast<unsigned>(bits) + 7) / 8)
                                                      : std::nullopt;
  }

  Model& model_;
  const Facts& facts_;
  const ProfileOptions& options_;
  AssumedSizes sizes_;
  ops::DimMath::SizeOf size_of_;
  std::unordered_map<const Value*, std::pair<std::uint64_t, std::uint64_t>> weights_;  // elements, bytes
  std::unordered_set<const Value*> seen_;
  std::unordered_map<const Node*, std::size_t> row_of_;
  ProfileReport report_;
};

}  // namespace

ProfileReport profile(Model& model, const ProfileOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  begin_stage("inferring shapes");
  const CustomOps custom(model, options.custom_ops);
  analysis::FactSettings settings = settings_of(options.bindings, model);
  settings.rules = custom.rules();
  const Facts facts(model, std::move(settings));
  require_fitting(facts, model);
  ProfileReport report = Profiler(model, facts, options).profile();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

ProfileReport profile(const std::string& path, const ProfileOptions& options) {
  begin_stage("reading");
  LoadedModel loaded = load_model(path, options.load);
  try {
    ProfileReport report = profile(loaded.model, options);
    report.file = loaded.name;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

std::vector<ProfileRow> profile(const std::vector<std::string>& paths, const ProfileOptions& options) {
  return report_on_each<ProfileReport>(paths, [&](const std::string& path) { return profile(path, options); });
}

std::string to_json(const ProfileReport& report) { return json_text(report); }
std::string to_json(const std::vector<ProfileRow>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress::tasks

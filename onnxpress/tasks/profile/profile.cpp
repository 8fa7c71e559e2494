// Builds the report from facts and costs.
#include "onnxpress/tasks/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/cost/node_costs.h"
#include "onnxpress/analysis/memory/activations.h"
#include "onnxpress/analysis/summary.h"
#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/profile/assumed_sizes.h"
#include "onnxpress/tasks/profile/backward.h"
#include "onnxpress/tasks/profile/layer_tree.h"
#include "onnxpress/tasks/profile/profile_names.h"
#include "onnxpress/tasks/profile/roofline.h"
#include "onnxpress/tasks/profile/sparsity_profile.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/settings/constant_defaults.h"
#include "onnxpress/tasks/settings/custom_ops.h"

namespace onnxpress {

namespace {

using analysis::Activation;
using analysis::Amount;
using analysis::Facts;
using analysis::ModelCosts;
using analysis::NodeCost;

class Profiler {
 public:
  // Rules that the user gave: `shape_rules`, which the facts were made with, and `rules` for the work of ops.
  Profiler(const Model& model, const Facts& facts, const ProfileOptions& options, const ops::ShapeRules* shape_rules,
           const ops::ShapeRules* rules)
      : model_(model), facts_(facts), options_(options), rules_(rules), sizes_(facts, shape_rules) {}

  ProfileReport profile() {
    report_.count = options_.count;
    sizes_.add_inputs(model_);
    add_weights();
    begin_stage("counting work");
    report_.node_list.reserve(model_.graph().nodes().size());
    rows_.reserve(model_.graph().nodes().size());
    const ModelCosts costs = analysis::costs_of(
        facts_, model_,
        {.style = options_.count, .rules = rules_, .on_node = [this](std::size_t, const NodeCost& cost) {
           add_node(cost);
         }});
    for (const auto& [symbol, size] : sizes_.all()) report_.assumed.push_back({std::string(symbol->name), size});
    size_of_ = [this](const Symbol& symbol) { return sizes_.of(symbol); };
    add_totals(costs);
    for (std::size_t i = 0; i < costs.nodes.size(); ++i) add_numbers(costs.nodes[i], report_.node_list[i]);
    require_sums();
    report_.backward_macs = backward_macs(facts_, rows_, report_.node_list);
    if (options_.sparsity) report_.sparsity = sparsity_profile(model_, facts_, tensors_, rows_, report_);
    add_ops();
    add_memory();
    add_rest(costs);
    if (options_.device) add_roof(load_device(*options_.device), report_);
    return std::move(report_);
  }

 private:
  std::optional<std::uint64_t> number(Dim dim) const {
    const auto value = facts_.dims().value_of(dim, size_of_);
    return value && *value >= 0 ? std::optional<std::uint64_t>(*value) : std::nullopt;
  }

  AmountLine line_of(const Amount& amount) const {
    AmountLine line{amount.value(facts_.dims(), size_of_), amount.formula(), {}, !amount.is_exact()};
    for (auto& [coefficient, factors] : amount.term_list())
      line.terms.push_back({std::move(coefficient), std::move(factors)});
    return line;
  }

  // --- Weights

  // Notes the size of each tensor, to be counted at the first node that reads it.
  void add_weights() {
    tensors_ = analysis::list_tensors(model_);
    const auto totals = analysis::total(tensors_);
    report_.parameters = totals.parameters;
    report_.tensors = totals.tensors;
    report_.weight_bytes = totals.bytes;
    for (const analysis::TensorEntry& entry : tensors_.entries) {
      if (entry.value && entry.role != analysis::TensorRole::kSparseIndices) {
        auto& held = weights_[entry.value];
        held.first += entry.elements.value_or(0);
        held.second += entry.bytes;
      }
      if (entry.role != analysis::TensorRole::kSparseIndices && entry.tensor && is_index(entry.tensor->type))
        report_.index_parameters += entry.elements.value_or(0);
    }
  }

  // Integers of these types are shapes, indices and counts; quantized weights have others.
  static bool is_index(ElementType type) {
    return type == ElementType::kInt64 || type == ElementType::kInt32 || type == ElementType::kBool;
  }

  // Elements and bytes of a constant, from its shape.
  std::pair<std::uint64_t, std::uint64_t> size_of_constant(const Value& value) const {
    const auto no_sizes = [](const Symbol&) { return std::optional<std::int64_t>(); };
    const auto shape = facts_.shape_of(value);
    std::uint64_t elements = 1;
    if (!shape) return {};
    for (const Dim dim : *shape) {
      const auto size = facts_.dims().value_of(dim, no_sizes);
      if (!size || *size < 0 || __builtin_mul_overflow(elements, static_cast<std::uint64_t>(*size), &elements))
        return {};
    }
    return {elements, analysis::bytes_of(facts_, value, no_sizes).value_or(0)};
  }

  // Counts each constant that nodes read at run time, after everything that depends only on constants was computed
  // while loading. A constant computed from fewer stored numbers than it has elements counts for the node that reads
  // it.
  void add_loaded(const Node& node, NodeProfile& line) {
    for (const Value* output : node.outputs()) {
      if (output && facts_.of(*output).is_constant) return;
    }
    for (const Use& use : node.inputs()) {
      const Value* value = use.value();
      if (!value || !facts_.of(*value).is_constant || is_index(facts_.of(*value).element)) continue;
      if (!loaded_.insert(value).second) continue;
      const bool is_stored = weights_.contains(value);
      const auto [elements, bytes] = is_stored ? weights_.at(value) : size_of_constant(*value);
      report_.loaded_parameters += elements;
      report_.loaded_bytes += bytes;
      if (is_stored || elements <= stored_behind(*value)) continue;
      line.parameters += elements;
      line.weight_bytes += bytes;
      report_.memory.weights += bytes;
      note_scope(value->name());
    }
  }

  // The number of stored elements that a computed constant depends on; the largest number if many values are involved.
  std::uint64_t stored_behind(const Value& value) const {
    constexpr std::size_t kMostValues = 64;
    std::vector<const Value*> values = {&value};
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values.size() > kMostValues) return ~std::uint64_t{0};
      if (const auto found = weights_.find(values[i]); found != weights_.end()) {
        sum += found->second.first;
      } else if (const Node* producer = values[i]->producer()) {
        for (const Use& use : producer->inputs()) {
          if (use.value() && std::ranges::find(values, use.value()) == values.end()) values.push_back(use.value());
        }
      }
    }
    return sum;
  }

  void add_own_weights(const Node& node, NodeProfile& line) {
    for (const Use& use : node.inputs()) {
      const auto found = use.value() ? weights_.find(use.value()) : weights_.end();
      if (found == weights_.end()) continue;
      note_scope(use.value()->name());
      if (!seen_.insert(use.value()).second) continue;
      line.parameters += found->second.first;
      line.weight_bytes += found->second.second;
    }
  }

  // Names of weights show the layer when those of nodes do not: "layer1.0.conv1.weight".
  void note_scope(std::string_view weight) {
    const std::size_t dot = weight.rfind('.');
    if (dot != std::string_view::npos && dot > 0) last_scope_ = weight.substr(0, dot);
  }

  // --- Nodes

  // Records what is only valid now: inside a function, facts hold for one call only.
  void add_node(const NodeCost& cost) {
    const Node& node = *cost.node;
    NodeProfile line;
    line.name = name_of(node);
    line.op = op_name(node);
    line.depth = cost.depth;
    for (const Use& use : node.inputs()) {
      if (options_.details && options_.operand_types)
        line.inputs.push_back(use.value() ? type_text(facts_, *use.value()) : "");
    }
    for (const Value* output : node.outputs()) {
      if (options_.details) line.outputs.push_back(output ? type_text(facts_, *output) : "");
    }
    sizes_.add_results(node);
    sizes_.add(cost.times);
    add_own_weights(node, line);
    add_loaded(node, line);
    for (const Use& use : node.inputs()) {
      if (!use.value() || line.compute_bits != 0) continue;
      const ops::Fact& fact = facts_.of(*use.value());
      const int bits = fact.is_tensor() ? bits_of(fact.element) : 0;
      line.compute_bits = bits == 8 || (bits == 16 && is_float(fact.element)) ? static_cast<std::uint8_t>(bits) : 32;
    }
    if (options_.details) line.scope = scope_in_metadata(node);
    if (line.scope.empty() && !last_scope_.empty() && line.depth == 0 &&
        line.name.find_first_of("/.") == std::string::npos)
      line.scope = last_scope_;
    rows_.push_back(&node);
    report_.node_list.push_back(std::move(line));
  }

  void add_totals(const ModelCosts& costs) {
    Amount flops = costs.flops;
    flops.add(costs.macs);
    flops.add(costs.macs);
    report_.macs = line_of(costs.macs);
    report_.flops = line_of(flops);
    report_.work = options_.count == Count::kMac    ? report_.macs
                   : options_.count == Count::kFlop ? report_.flops
                                                    : line_of(costs.counted);
    report_.read = line_of(costs.read);
    report_.written = line_of(costs.written);
    const bool some_unknown = !costs.unknown.empty() || costs.is_cut;
    for (AmountLine* line : {&report_.work, &report_.macs, &report_.flops, &report_.read, &report_.written})
      line->at_least |= some_unknown;
    report_.nodes = costs.nodes.size();
  }

  void add_numbers(const NodeCost& cost, NodeProfile& line) {
    line.known = cost.is_known;
    line.estimate = cost.is_estimate;
    line.counted = cost.is_counted;
    line.times = number(cost.times);
    std::uint64_t bytes = 0;
    bool known = true;
    for (const Value* output : cost.node->outputs()) {
      const auto each = output ? analysis::bytes_of(facts_, *output, size_of_) : std::optional<std::uint64_t>(0);
      known &= each.has_value();
      bytes += each.value_or(0);
    }
    if (known) line.result_bytes = bytes;
    if (!cost.is_known) return;
    line.macs = number(cost.macs);
    const auto other = number(cost.flops);
    if (line.macs && other) line.flops = 2 * *line.macs + *other;
    line.work = options_.count == Count::kMac    ? line.macs
                : options_.count == Count::kFlop ? line.flops
                                                 : Maybe(number(cost.counted));
    line.read = number(cost.read);
    line.written = number(cost.written);
    if (cost.macs.is_symbol()) line.macs_formula = onnxpress::to_string(cost.macs);
  }

  // Assumed sizes that are impossible for the model make some figures negative; then totals only include the others.
  void require_sums() {
    const std::pair<AmountLine*, Maybe<std::uint64_t> NodeProfile::*> totals[] = {
        {&report_.work, &NodeProfile::work},
        {&report_.macs, &NodeProfile::macs},
        {&report_.flops, &NodeProfile::flops},
        {&report_.read, &NodeProfile::read},
        {&report_.written, &NodeProfile::written}};
    for (const auto& [total, figure] : totals) {
      std::uint64_t sum = 0;
      bool all = true, fits = true;
      for (const NodeProfile& node : report_.node_list) {
        if (!node.counted || !node.known) continue;
        all &= (node.*figure).has_value();
        fits &= !__builtin_add_overflow(sum, (node.*figure).value_or(0), &sum);
      }
      if (all && total->value) continue;
      total->at_least |= !all;
      total->value = fits ? std::optional(sum) : std::nullopt;
    }
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
      op.work += node.work.value_or(0);
      op.macs += node.macs.value_or(0);
      op.flops += node.flops.value_or(0);
      op.read += node.read.value_or(0);
      op.written += node.written.value_or(0);
    }
    for (auto& [name, op] : by_op) report_.ops.push_back(std::move(op));
    std::ranges::stable_sort(report_.ops, [](const OpProfile& a, const OpProfile& b) {
      if (a.work != b.work) return a.work > b.work;
      if (a.flops != b.flops) return a.flops > b.flops;
      return a.written > b.written;
    });
  }

  void add_rest(const ModelCosts& costs) {
    std::unordered_set<std::string> listed;
    for (const Node* node : costs.unknown) {
      if (std::string name = op_name(*node); listed.insert(name).second) report_.unknown_ops.push_back(std::move(name));
    }
    for (std::size_t i = 0; i < costs.nodes.size(); ++i) {
      if (costs.nodes[i].is_too_large && costs.nodes[i].is_counted)
        report_.too_large.push_back(report_.node_list[i].name);
    }
    for (const analysis::BranchChoice& choice : costs.choices) {
      report_.choices.push_back({report_.node_list[choice.row].name, line_of(choice.then_macs),
                                 line_of(choice.else_macs), choice.counts_then ? "then" : "else"});
    }
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (!input->value->initializer())
        report_.inputs.push_back(fmt::format("{} {}", input->value->name(), type_text(facts_, *input->value)));
    }
  }

  // --- Memory

  void add_memory() {
    begin_stage("planning memory");
    const analysis::ActivationMemory memory =
        analysis::activations_of(facts_, model_.graph(), {.alignment = options_.align, .size_of = size_of_});
    MemoryProfile& out = report_.memory;
    out.activations = memory.all;
    out.plain_peak = memory.plain_peak;
    out.peak = memory.plan.live_peak;
    out.pool = memory.plan.pool;
    out.weights += report_.weight_bytes;
    out.unknown = memory.unknown.size();
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (!input->value->initializer()) out.inputs += analysis::bytes_of(facts_, *input->value, size_of_).value_or(0);
    }
    add_timeline(memory);
    std::map<std::int64_t, const Activation*> alive;  // the last value in each buffer at the peak
    for (const Activation& each : memory.values) {
      if (each.first <= memory.plan.peak_step && each.last >= memory.plan.peak_step) alive[each.buffer] = &each;
    }
    for (const auto& [buffer, each] : alive) {
      out.alive.push_back({each->value ? std::string(each->value->name()) : "bodies of " + name_of(*each->node),
                           each->value ? type_text(facts_, *each->value) : "",
                           memory.buffers[static_cast<std::size_t>(buffer)].bytes});
    }
    std::ranges::stable_sort(out.alive, std::greater<>(), &MemoryValue::bytes);
  }

  // The memory in use while each node of the main graph runs.
  void add_timeline(const analysis::ActivationMemory& memory) {
    const auto steps = static_cast<std::uint32_t>(model_.graph().nodes().size());
    std::vector<std::int64_t> change(steps + 2, 0);
    for (const analysis::Buffer& buffer : memory.buffers) {
      change[buffer.first] += static_cast<std::int64_t>(buffer.bytes);
      change[std::min(buffer.last, steps) + 1] -= static_cast<std::int64_t>(buffer.bytes);
    }
    std::int64_t alive = 0;
    std::uint32_t step = 0;
    for (NodeProfile& row : report_.node_list) {
      if (row.depth > 0) continue;
      alive += change[step];
      row.live = static_cast<std::uint64_t>(alive);
      if (step == memory.plan.peak_step && memory.plan.live_peak > 0) report_.memory.peak_node = row.name;
      ++step;
    }
  }

  const Model& model_;
  const Facts& facts_;
  const ProfileOptions& options_;
  const ops::ShapeRules* rules_;
  AssumedSizes sizes_;
  ops::DimMath::SizeOf size_of_;
  analysis::TensorList tensors_;
  std::unordered_map<const Value*, std::pair<std::uint64_t, std::uint64_t>> weights_;  // elements, bytes
  std::unordered_set<const Value*> seen_, loaded_;
  std::vector<const Node*> rows_;
  std::string last_scope_;
  ProfileReport report_;
};

// Shape rules may also give the work; a separate cost file takes precedence.
std::optional<ops::ShapeRules> cost_rules(const ProfileOptions& options) {
  if (!options.cost) return std::nullopt;
  try {
    const auto file = MappedFile::open(*options.cost, FileAccess::kRead);
    return ops::ShapeRules::parse(file->bytes().view());
  } catch (Error& error) {
    error.set_file(*options.cost);
    throw;
  }
}

}  // namespace

std::string_view unit_of(Count count) {
  switch (count) {
    case Count::kMac:
      return "MACs";
    case Count::kFlop:
      return "FLOPs";
    case Count::kOnnxTool:
      return "onnx-tool MACs";
    case Count::kFvcore:
      return "fvcore flops";
    case Count::kThop:
      return "thop MACs";
  }
  return "MACs";
}

namespace {

// The same options, with the shape of every input fixed to the assumed sizes. nullopt if a size is not known.
std::optional<ProfileOptions> with_sizes(const Model& model, const ProfileOptions& options, const Facts& facts) {
  AssumedSizes sizes(facts);
  sizes.add_inputs(model);
  if (sizes.all().empty()) return std::nullopt;
  ProfileOptions out = options;
  out.bindings.shape.clear();
  for (const ValueInfo* input : inputs::inputs_to_give(model)) {
    const auto shape = facts.shape_of(*input->value);
    if (!shape || shape->empty()) continue;
    std::vector<std::int64_t> dims;
    for (const Dim dim : *shape) {
      const auto size = facts.dims().value_of(dim, [&](const Symbol& symbol) { return sizes.of(symbol); });
      if (!size || *size < 0) return std::nullopt;
      dims.push_back(*size);
    }
    out.bindings.shape.push_back(fmt::format("{}={}", input->value->name(), fmt::join(dims, "x")));
  }
  return out;
}

ProfileReport profile_once(const Model& model, const ProfileOptions& options, bool may_repeat);

// Branches, ranks and sizes may depend on symbols in ways that have no formula. With fixed sizes, all may be known.
void count_with_sizes(const Model& model, const ProfileOptions& options, const Facts& facts, ProfileReport& report) {
  AssumedSizes inputs(facts);
  inputs.add_inputs(model);
  const std::size_t guessed = report.assumed.size() - std::min(report.assumed.size(), inputs.all().size());
  if ((!report.macs.at_least && guessed == 0) || !report.unknown_ops.empty()) return;
  const auto sized = with_sizes(model, options, facts);
  if (!sized) return;
  try {
    ProfileReport other = profile_once(model, *sized, false);
    // If sizes that depend on the data still are not known, the report with formulas is better.
    if (other.macs.at_least || (!report.macs.at_least && other.assumed.size() >= guessed)) return;
    std::vector<AssumedSize> assumed;
    for (const auto& [symbol, size] : inputs.all()) assumed.push_back({std::string(symbol->name), size});
    other.assumed.insert(other.assumed.begin(), assumed.begin(), assumed.end());
    report = std::move(other);
  } catch (const Error&) {
    // The assumed sizes do not fit the model, or its names cannot be written as options: keep the first report.
  }
}

ProfileReport profile_once(const Model& given, const ProfileOptions& options, bool may_repeat) {
  const CustomOps custom(given, options.custom_ops);
  const Model& model = custom.model();
  const auto costs = cost_rules(options);
  analysis::FactSettings settings = settings_of(options.bindings, model);
  settings.rules = custom.rules();
  begin_stage("inferring shapes");
  const Facts facts(model, std::move(settings));
  require_fitting(facts, model);
  ProfileReport report = Profiler(model, facts, options, custom.rules(), costs ? &*costs : custom.rules()).profile();
  if (may_repeat) count_with_sizes(given, options, facts, report);
  return report;
}

}  // namespace

ProfileReport profile(const Model& model, const ProfileOptions& options) {
  const auto begin = Clock::now();
  std::optional<Model> copy = with_constant_defaults(model, options.bindings);
  ProfileReport report = profile_once(copy ? *copy : model, options, true);
  // Only now that facts and costs were freed, because both are large.
  if (options.details) report.layers = layers_of(report.node_list);
  report.seconds = seconds_since(begin);
  return report;
}

std::string to_json(const ProfileReport& report) { return json_text(report); }
std::string to_json(const std::vector<ProfileRow>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress

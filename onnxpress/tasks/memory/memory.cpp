// Plans the memory of a model, in the order of its nodes or in a better one.
#include "onnxpress/tasks/report/field_lists/memory.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "onnxpress/analysis/memory/activations.h"
#include "onnxpress/analysis/memory/reorder.h"
#include "onnxpress/analysis/summary.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/sort_nodes.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/profile/assumed_sizes.h"
#include "onnxpress/tasks/profile/profile_names.h"
#include "onnxpress/tasks/report/field_lists/profile.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"
#include "onnxpress/tasks/settings/bindings.h"
#include "onnxpress/tasks/settings/constant_defaults.h"
#include "onnxpress/tasks/settings/custom_ops.h"

namespace onnxpress {

namespace {

using analysis::Activation;
using analysis::ActivationMemory;
using analysis::Facts;

class MemoryTask {
 public:
  MemoryTask(const Model& model, const Facts& facts, const MemoryOptions& options, const ops::ShapeRules* rules)
      : model_(model), facts_(facts), options_(options), sizes_(facts, rules) {}

  MemoryReport plan() {
    assume_sizes();
    const analysis::ActivationOptions how{.alignment = std::max<std::uint64_t>(1, options_.align),
                                          .size_of = [this](const Symbol& symbol) { return sizes_.of(symbol); }};
    ActivationMemory memory = activations_of(facts_, model_.graph(), how);
    if (options_.reorder) reorder(how, memory);
    fill(memory, how);
    return std::move(report_);
  }

 private:
  void assume_sizes() {
    sizes_.add_model(model_);
    for (const auto& [symbol, size] : sizes_.all()) report_.assumed.push_back({std::string(symbol->name), size});
  }

  // Keeps the order that was found only if the full memory plan, which models more than the search, is better with it.
  void reorder(const analysis::ActivationOptions& how, ActivationMemory& memory) {
    Graph& graph = model_.graph();
    std::vector<Node*> present;
    for (Node& node : graph.nodes()) present.push_back(&node);
    report_.peak_before = memory.plan.live_peak;
    const analysis::NodeOrderFound found = order_with_lower_peak(facts_, graph, how);
    report_.optimal_order = found.is_optimal;
    if (!found.nodes.empty()) {
      graph.reorder(found.nodes);
      ActivationMemory other = activations_of(facts_, graph, how);
      if (other.plan.live_peak < memory.plan.live_peak) {
        memory = std::move(other);
      } else {
        graph.reorder(present);
      }
    }
    for (const Node& node : graph.nodes()) report_.order.push_back(name_of(node));
  }

  void fill(const ActivationMemory& memory, const analysis::ActivationOptions& how) {
    const analysis::Overlap overlap = overlap_in(memory.buffers, memory.plan.offsets);
    if (overlap.a >= 0) throw Error("", "the memory plan is wrong: two values overlap", "please report this model");
    report_.nodes = model_.graph().nodes().size();
    report_.pool = memory.plan.pool;
    report_.peak = memory.plan.live_peak;
    report_.plain_peak = memory.plain_peak;
    report_.activations = memory.all;
    report_.align = how.alignment;
    report_.strategy = memory.plan.strategy;
    report_.weights = analysis::total(analysis::list_tensors(model_)).bytes;
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (!input->value->initializer()) report_.inputs += bytes_of(facts_, *input->value, how.size_of).value_or(0);
    }
    std::uint32_t step = 0;
    for (const Node& node : model_.graph().nodes()) {
      if (step++ == memory.plan.peak_step && report_.peak > 0) report_.peak_node = name_of(node);
    }
    for (const Value* value : memory.unknown) report_.unknown.emplace_back(value->name());
    for (const Activation& each : memory.values) add(each, memory, how);
  }

  void add(const Activation& each, const ActivationMemory& memory, const analysis::ActivationOptions& how) {
    PlacedValue line;
    line.name = each.value ? std::string(each.value->name()) : "bodies of " + name_of(*each.node);
    line.type = each.value ? sized_type_text(facts_, *each.value, how.size_of) : "";
    line.node = name_of(*each.node);
    line.shares = each.is_view ? "view" : each.in_place ? "in place" : "";
    line.offset = memory.plan.offsets[static_cast<std::size_t>(each.buffer)];
    line.bytes = each.bytes;
    line.first = each.first;
    line.last = each.last;
    report_.values.push_back(std::move(line));
  }

  const Model& model_;
  const Facts& facts_;
  const MemoryOptions& options_;
  AssumedSizes sizes_;
  MemoryReport report_;
};

// --- C

// A name from a file as a C string: no byte of it may end the string or begin a trigraph.
std::string c_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string c_name(const std::string& file) {
  std::string out;
  for (const char c : std::filesystem::path(file).stem().string())
    out += std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128 ? c : '_';
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "model_" + out;
  return out;
}

}  // namespace

namespace {

// Brings `graph` into the order that its copy has now; nodes of a copy have the same ids.
void follow_order(const Graph& copy, Graph& graph) {
  std::unordered_map<std::uint32_t, Node*> by_id;
  for (Node& node : graph.nodes()) by_id.emplace(node.id(), &node);
  std::vector<Node*> order;
  for (const Node& node : copy.nodes()) order.push_back(by_id.at(node.id()));
  graph.reorder(order);
}

// With option `reorder`, the order of the model changes.
MemoryReport plan(const Model& original, const MemoryOptions& options) {
  const std::optional<Model> copy = with_constant_defaults(original, options.bindings);
  const CustomOps custom(copy ? *copy : original, options.custom_ops);
  const Model& model = custom.model();
  analysis::FactSettings settings = settings_of(options.bindings, model);
  settings.rules = custom.rules();
  MemoryReport report;
  {
    const Facts facts(model, std::move(settings));
    require_fitting(facts, model);
    report = MemoryTask(model, facts, options, custom.rules()).plan();
  }
  if (!options.reorder) return report;
  if (&model != &original) follow_order(model.graph(), original.graph());
  // The report is about the order in memory, so that is what a file must hold.
  if (!is_in_order_of_file(original.graph())) original.graph().mark_changed();
  return report;
}

}  // namespace

MemoryReport plan_memory(const Model& model, const MemoryOptions& options) {
  if (!options.reorder) return plan(model, options);
  const Model copy = model.clone();
  return plan(copy, options);
}

MemoryReport reorder(Model& model, MemoryOptions options) {
  options.reorder = true;
  RestoreOnFailure restore(model);
  MemoryReport report = plan(model, options);
  restore.keep();
  return report;
}

std::string to_json(const MemoryReport& report) { return json_text(report); }

std::string to_c_header(const MemoryReport& report) {
  const std::string name = c_name(report.file);
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string out = fmt::format("/* Memory plan of {}, made by onnxpress memory. */\n", c_name(report.file));
  out += fmt::format("#ifndef {0}_MEMORY_H\n#define {0}_MEMORY_H\n\n#include <stddef.h>\n\n", upper);
  for (const AssumedSize& each : report.assumed)
    out += fmt::format("/* for {} = {} */\n", c_name(each.symbol), each.size);
  out += fmt::format("#define {}_POOL_BYTES ((size_t){}u)\n#define {}_POOL_ALIGNMENT {}u\n", upper, report.pool, upper,
                     report.align);
  out += fmt::format("#define {}_TENSOR_COUNT {}u\n\n", upper, report.values.size());
  out += "/* Alive from node `first` to node `last`, both included, in the order of the model. */\n";
  out += fmt::format(
      "typedef struct {{\n  const char* name;\n  size_t offset, bytes;\n  unsigned first, last;\n}} {}_tensor;\n\n",
      name);
  out += fmt::format("static const {0}_tensor {0}_tensors[{1}] = {{\n", name,
                     std::max<std::size_t>(1, report.values.size()));
  for (const PlacedValue& each : report.values)
    out += fmt::format("    {{{}, {}u, {}u, {}u, {}u}},\n", c_text(each.name), each.offset, each.bytes, each.first,
                       each.last);
  if (report.values.empty()) out += "    {\"\", 0u, 0u, 0u, 0u},\n";
  return out + "};\n\n#endif\n";
}

}  // namespace onnxpress

// By name, by the name of a result, and by walking back from there.
#include "onnxpress/runtime/kernel_nodes.h"

namespace onnxpress::runtime {

namespace {

constexpr int kMostSteps = 8;  // back from the result of a fused kernel to the node that does its work

}  // namespace

std::string_view op_inside(std::string_view kernel_op) {
  constexpr std::string_view kFused = "Fused";
  if (kernel_op.starts_with(kFused)) kernel_op.remove_prefix(kFused.size());
  return kernel_op;
}

KernelNodes::KernelNodes(const Model& model, const Model& optimized, const std::vector<tasks::NodeProfile>& nodes)
    : nodes_(nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) row_of_name_.emplace(nodes[i].name, i);
  std::size_t row = 0;
  for (const Node& node : model.graph().nodes()) {
    while (row < nodes.size() && nodes[row].depth > 0) ++row;
    if (row == nodes.size()) break;
    rows_.emplace(&node, row);
    for (const Value* output : node.outputs()) {
      if (output) makers_.emplace(output->name(), &node);
    }
    ++row;
  }
  for (const Node& node : optimized.graph().nodes()) kernels_.emplace(node.name(), &node);
}

void KernelNodes::tell(const std::vector<KernelTime>& kernels) {
  for (const KernelTime& each : kernels) {
    if (const auto row = named(each.name)) alone_.insert(*row);
  }
}

std::optional<std::size_t> KernelNodes::named(std::string_view name) const {
  const auto found = row_of_name_.find(name);
  return found == row_of_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> KernelNodes::find(const KernelTime& kernel) const {
  if (const auto row = named(kernel.name)) return row;
  const auto found = kernels_.find(kernel.name);
  return by_text(kernel.name, op_inside(kernel.op), found == kernels_.end() ? nullptr : found->second, 0);
}

std::optional<std::size_t> KernelNodes::by_text(const std::string& kernel, std::string_view op, const Node* node,
                                                int depth) const {
  // Layouts are changed by adding an ending to the name of a result.
  for (const std::string_view ending : {"_nchwc", "_nhwc"}) {
    if (!kernel.ends_with(ending)) continue;
    if (const auto row = by_tensor(kernel.substr(0, kernel.size() - ending.size()), op)) return row;
  }
  // "/model.0/act/Mul/QuickGeluFusion/"
  if (const std::size_t fusion = kernel.rfind("Fusion"); fusion != std::string::npos) {
    const std::size_t slash = kernel.rfind('/', fusion);
    const auto row = slash == std::string::npos ? std::nullopt : named(kernel.substr(0, slash));
    if (row) return row;
  }
  if (!node || depth > kMostSteps) return std::nullopt;
  for (const Value* output : node->outputs()) {
    const auto row = output ? by_tensor(output->name(), op) : std::nullopt;
    if (row) return row;
  }
  // Another layout of what another kernel made.
  for (const Use& use : node->inputs()) {
    if (!use.value()) continue;
    if (const auto row = by_tensor(use.value()->name(), op)) return row;
    const Node* producer = use.value()->producer();
    if (!producer) continue;
    if (const auto row = named(producer->name())) return row;
    if (const auto row = by_text(std::string(producer->name()), op, producer, depth + 1)) return row;
  }
  return std::nullopt;
}

// The node that makes the tensor or, before it, one of the same operator or else with work that was computed in the
// same kernel.
std::optional<std::size_t> KernelNodes::by_tensor(std::string_view name, std::string_view op) const {
  const auto found = makers_.find(name);
  if (found == makers_.end()) return std::nullopt;
  std::optional<std::size_t> with_work;
  const Node* node = found->second;
  for (int step = 0; node && step < kMostSteps; ++step) {
    const std::size_t row = rows_.at(node);
    if (step > 0 && alone_.contains(row)) break;  // it ran by itself
    if (node->op_type() == op) return row;
    if (!with_work && nodes_[row].macs.value_or(0) > 0) with_work = row;
    const Value* before = node->input(0);
    const auto maker = before ? makers_.find(before->name()) : makers_.end();
    node = maker == makers_.end() ? nullptr : maker->second;
  }
  return with_work ? with_work : rows_.at(found->second);
}

}  // namespace onnxpress::runtime

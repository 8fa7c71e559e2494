// Matches kernels by name, by the name of a result, and by walking back from there.
#include "onnxpress/tasks/profile/kernel_nodes.h"

#include <algorithm>

namespace onnxpress {

namespace {

constexpr int kMostSteps = 8;  // from the result of a fused kernel back to the node that does its work
constexpr std::size_t kMostCovered = 256;

// The runtime names a result in another layout like the original, with one of these endings.
constexpr std::string_view kLayouts[] = {"_nchwc", "_nhwc"};

std::string_view without_layout(std::string_view name) {
  for (const std::string_view ending : kLayouts) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

}  // namespace

std::string_view op_inside(std::string_view kernel_op) {
  constexpr std::string_view kFused = "Fused";
  if (kernel_op.starts_with(kFused)) kernel_op.remove_prefix(kFused.size());
  return kernel_op == "Upsample" ? "Resize" : kernel_op;  // the runtime calls it Upsample in another layout
}

KernelNodes::KernelNodes(const Model& model, const Model& optimized, const std::vector<NodeProfile>& nodes)
    : nodes_(nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) row_of_name_.emplace(nodes[i].name, i);
  std::size_t row = 0;
  for (const Node& node : model.graph().nodes()) {
    while (row < nodes.size() && nodes[row].depth > 0) ++row;
    if (row == nodes.size()) break;
    rows_.emplace(&node, row);
    node_of_row_.emplace(row, &node);
    for (const Value* output : node.outputs()) {
      if (output) makers_.emplace(output->name(), &node);
    }
    ++row;
  }
  for (const Node& node : optimized.graph().nodes()) kernels_.emplace(node.name(), &node);
}

void KernelNodes::tell(const std::vector<engines::KernelTime>& kernels) {
  for (const engines::KernelTime& each : kernels) {
    if (const auto row = named(each.name)) alone_.insert(*row);
  }
  for (const engines::KernelTime& each : kernels) learn_names(each);
  for (const auto& [name, node] : kernels_) {
    for (const Value* output : node->outputs()) {
      if (output) made_.insert(original(output->name()));
    }
  }
}

// Learns which results of the model the runtime renamed: a kernel may read "reorder_token_3" where its node reads "x".
void KernelNodes::learn_names(const engines::KernelTime& kernel) {
  const auto found = kernels_.find(kernel.name);
  if (found != kernels_.end() && found->second->op_type() == "ReorderOutput" && found->second->input(0))
    originals_.emplace(found->second->input(0)->name(), found->second->output()->name());
  const auto row = find(kernel);
  const auto node = row ? node_of_row_.find(*row) : node_of_row_.end();
  if (found == kernels_.end() || node == node_of_row_.end()) return;
  if (op_inside(found->second->op_type()) != node->second->op_type()) return;
  const std::size_t count = std::min(found->second->input_count(), node->second->input_count());
  for (std::size_t i = 0; i < count; ++i) {
    const Value *read = found->second->input(i), *known = node->second->input(i);
    if (read && known && !makers_.contains(read->name())) originals_.emplace(read->name(), known->name());
  }
}

std::string_view KernelNodes::original(std::string_view tensor) const {
  const auto found = originals_.find(tensor);
  return found == originals_.end() ? without_layout(tensor) : found->second;
}

std::optional<std::size_t> KernelNodes::named(std::string_view name) const {
  const auto found = row_of_name_.find(name);
  return found == row_of_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> KernelNodes::find(const engines::KernelTime& kernel) const {
  if (const auto row = named(kernel.name)) return row;
  const auto found = kernels_.find(kernel.name);
  return by_text(kernel.name, op_inside(kernel.op), found == kernels_.end() ? nullptr : found->second, 0);
}

std::optional<std::size_t> KernelNodes::by_text(const std::string& kernel, std::string_view op, const Node* node,
                                                int depth) const {
  if (const std::string_view tensor = without_layout(kernel); tensor.size() < kernel.size()) {
    if (const auto row = by_tensor(tensor, op)) return row;
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
  // The kernel may only change the layout of what another kernel computed.
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

const Node* KernelNodes::maker(std::string_view tensor) const {
  const auto found = makers_.find(original(tensor));
  return found == makers_.end() ? nullptr : found->second;
}

std::vector<std::size_t> KernelNodes::covered(const engines::KernelTime& kernel,
                                              const std::unordered_set<std::size_t>& owned) const {
  const auto own = find(kernel);
  std::vector<const Node*> inside;
  const auto add = [&](std::string_view tensor) {
    const Node* node = maker(tensor);
    if (!node || inside.size() == kMostCovered || std::ranges::find(inside, node) != inside.end()) return;
    const std::size_t row = rows_.at(node);
    if (row == own || !owned.contains(row)) inside.push_back(node);
  };
  add(kernel.name);  // kernels that work in another layout are named like their result
  if (const auto found = kernels_.find(kernel.name); found != kernels_.end()) {
    for (const Value* output : found->second->outputs()) {
      if (output) add(output->name());
    }
  }
  for (std::size_t i = 0; i < inside.size(); ++i) {
    for (const Use& use : inside[i]->inputs()) {
      if (use.value() && !made_.contains(use.value()->name())) add(use.value()->name());
    }
  }
  std::vector<std::size_t> rows;
  for (const Node* node : inside) {
    const std::size_t row = rows_.at(node);
    const bool has_work = nodes_[row].macs.value_or(0) > 0 || nodes_[row].written.value_or(0) > 0;
    if (row != own && has_work) rows.push_back(row);
  }
  std::ranges::sort(rows);
  return rows;
}

// The node for a kernel that computes this tensor. Walks back through the nodes that were fused into the kernel:
// prefers one with the same operator, then one with work, then the node that computes the tensor.
std::optional<std::size_t> KernelNodes::by_tensor(std::string_view name, std::string_view op) const {
  const auto found = makers_.find(name);
  if (found == makers_.end()) return std::nullopt;
  std::optional<std::size_t> with_work;
  const Node* node = found->second;
  for (int step = 0; node && step < kMostSteps; ++step) {
    const std::size_t row = rows_.at(node);
    if (step > 0 && alone_.contains(row)) break;  // it has a kernel of its own
    if (node->op_type() == op) return row;
    if (!with_work && nodes_[row].macs.value_or(0) > 0) with_work = row;
    const Value* before = node->input(0);
    const auto maker = before ? makers_.find(before->name()) : makers_.end();
    node = maker == makers_.end() ? nullptr : maker->second;
  }
  return with_work ? with_work : rows_.at(found->second);
}

}  // namespace onnxpress
